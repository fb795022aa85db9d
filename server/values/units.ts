export const secondMs = 1000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Rounds dollars to cents, because sums of doubles such as 0.1 and 0.2 are inexact. */
export function toCents(dollars: number): number {
  const cents = Math.round(dollars * 100)
  // Larger numbers have no cents, and rounding would change their value.
  return Number.isSafeInteger(cents) ? cents / 100 : dollars
}

/** A number of deals and their total amount in dollars. */
export interface Tally {
  count: number
  amount: number
}

/** Returns the sum of tallies. */
export const tallyOf = (tallies: readonly Tally[]): Tally => ({
  count: tallies.reduce((sum, { count }) => sum + count, 0),
  amount: toCents(tallies.reduce((sum, { amount }) => sum + amount, 0)),
})

// For a single day, 24 hours reads better.
const spans = [
  { unit: 'day', lengthMs: dayMs, fromMs: 2 * dayMs },
  { unit: 'hour', lengthMs: hourMs, fromMs: hourMs },
  { unit: 'minute', lengthMs: minuteMs, fromMs: minuteMs },
] as const

/**
 * Formats a duration in the largest unit that gives a whole number: `15 seconds`, `24 hours`, `5 days`.
 * Fractions of a second are formatted as decimals.
 */
export function formatSpan(ms: number): string {
  const { unit, lengthMs } = spans.find((span) => ms >= span.fromMs && ms % span.lengthMs === 0) ?? {
    unit: 'second',
    lengthMs: secondMs,
  }
  const count = ms / lengthMs
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const sizes = ['bytes', 'KiB', 'MiB', 'GiB'] as const

/** Formats a limit in the largest binary unit that gives a whole number: `64 KiB`, `1 MiB`. */
export function formatLimit(bytes: number): string {
  const power = sizes.findLastIndex((_unit, at) => bytes % 1024 ** at === 0)
  return `${bytes / 1024 ** power} ${sizes[power]}`
}

const unitMs: Record<string, number> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs }

/** Returns a duration such as `500ms`, `5m`, or `2h` in milliseconds, or null if invalid. */
export function parseSpan(text: string): number | null {
  const [, count, unit] = /^(\d{1,6})(ms|s|m|h|d)$/.exec(text) ?? []
  return count === undefined ? null : Number(count) * unitMs[unit!]!
}

/**
 * Returns the delay in milliseconds in a `Retry-After` header (RFC 9110, section 10.2.3), or null if invalid.
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000
  const at = /^[a-z]{3,9}, ?\d/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
