/**
 * The smallest and the largest id: a signed 64-bit integer, as `format: int64` of the OpenAPI Format
 * Registry.
 */
export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n

const canonical = /^(?:0|-?[1-9]\d{0,18})$/

/** Returns the int64 written in plain decimal digits, or null for other text or if out of range. */
export function parseInt64(text: string): bigint | null {
  if (!canonical.test(text)) return null
  const value = BigInt(text)
  return value >= int64Min && value <= int64Max ? value : null
}

/** Returns the exact int64 of a number from `parseJson`, or null for anything else or if out of range. */
export function toInt64(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= int64Min && value <= int64Max ? value : null
  return Number.isSafeInteger(value) ? BigInt(value as number) : null
}

/**
 * Parses JSON without losing a digit of an integer: one beyond 2^53 becomes a bigint.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // The reviver takes four times as long as a plain parse, and few texts contain a number that long.
  return holdsInexact(value) ? JSON.parse(text, exactInteger) : value
}

function holdsInexact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? value.some(holdsInexact) : Object.values(value).some(holdsInexact)
}

function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}

/**
 * Serializes JSON with bigints as integers; `indent` is the number of spaces per level, on separate lines.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) => (typeof inner === 'bigint' ? rawJson(String(inner)) : inner),
    indent,
  )
}

/**
 * Creates a value that is rendered as this text. TypeScript's library does not declare JSON.rawJSON
 * (ECMAScript proposal-json-parse-with-source) yet.
 */
export const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }
