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

/** Returns about how many bytes the JSON of an answer has. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + valueBytes
  if (typeof value !== 'object' || value === null) return valueBytes
  if (value instanceof Prepared) return Buffer.byteLength(value.json ?? '')
  if (value instanceof Date) return 24 + valueBytes
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item), valueBytes)
  if (value instanceof Map || value instanceof Set) return sizeOf([...value])
  let bytes = valueBytes
  for (const [name, inner] of Object.entries(value)) bytes += name.length + valueBytes + sizeOf(inner)
  return bytes
}
