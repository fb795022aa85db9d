/** Smallest and largest id: a signed 64-bit integer, as in `format: int64` of the OpenAPI Format Registry. */
export const int64Min = -(2n ** 63n)
export const int64Max = 2n ** 63n - 1n

const canonical = /^(?:0|-?[1-9]\d{0,18})$/

/** Parses an int64 in plain decimal digits. Returns null for other text or if out of range. */
export function parseInt64(text: string): bigint | null {
  if (!canonical.test(text)) return null
  const value = BigInt(text)
  return value >= int64Min && value <= int64Max ? value : null
}

/** Returns the exact int64 of a number from `parseJson`. Returns null for other values or if out of range. */
export function toInt64(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value >= int64Min && value <= int64Max ? value : null
  return Number.isSafeInteger(value) ? BigInt(value as number) : null
}

/**
 * Parses JSON and preserves all digits of integers: integers beyond 2^53 become bigints.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // Parsing with a reviver takes four times as long, and few texts contain such a long number.
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
 * Serializes JSON with bigints as integers. If `indent` is set, uses multiple lines with this many spaces per
 * level.
 */
export function stringifyJson(value: unknown, indent = 0): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) => (typeof inner === 'bigint' ? rawJson(String(inner)) : inner),
    indent,
  )
}

/** Indents JSON text without changing any digit of an integer. Returns other text unchanged. */
export function indentJson(text: string): string {
  try {
    return stringifyJson(parseJson(text), 2)
  } catch {
    return text
  }
}

/**
 * Creates a value that is serialized as this text. TypeScript's library does not declare JSON.rawJSON
 * (ECMAScript proposal-json-parse-with-source) yet.
 */
export const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown }
