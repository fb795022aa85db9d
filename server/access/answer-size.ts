import { Prepared } from '../values/prepared.ts'

const mb = 1024 * 1024

/** Default maximum size of a response, in bytes. */
export const usualAnswerMaxBytes = 2 * mb

/** Maximum size of a page of deals or events. */
export const pageAnswerMaxBytes = 16 * mb

/** Maximum total size of the responses to a batch. */
export const requestAnswerMaxBytes = 24 * mb

/** Maximum number of calls in a batch. */
export const batchMax = 10

/** Estimated number of characters of markup around each value. */
const valueBytes = 4

/**
 * Estimates the size of a value as JSON. Counts characters, because counting bytes takes longer than
 * rendering.
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
