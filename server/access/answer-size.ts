import { Prepared } from '../values/prepared.ts'

const mb = 1024 * 1024

/** The largest answer of a procedure that states no other size, in bytes. */
export const usualAnswerMaxBytes = 2 * mb

/** The largest answer of a page of deals or events. */
export const pageAnswerMaxBytes = 16 * mb

/** The largest answers of the calls of one request together. */
export const requestAnswerMaxBytes = 24 * mb

/** The most calls in one request. */
export const batchMax = 10

/** Characters of markup around each value. */
const valueBytes = 4

/**
 * Returns about how many bytes the JSON of an answer has. Counts the characters of texts: counting their bytes takes
 * longer than rendering the JSON.
 */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + valueBytes
  if (typeof value !== 'object' || value === null) return valueBytes
  if (value instanceof Prepared) return value.json?.length ?? 0
  if (value instanceof Date) return 24 + valueBytes
  let bytes = valueBytes
  if (Array.isArray(value) || value instanceof Map || value instanceof Set)
    for (const item of value) bytes += sizeOf(item)
  else for (const name in value) bytes += name.length + valueBytes + sizeOf(value[name as keyof typeof value])
  return bytes
}
