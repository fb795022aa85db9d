import type { ByteRange } from './storage.ts'

/**
 * Parses a `Range` header for content of this size (RFC 9110, section 14.1.2). Returns undefined if the whole
 * content should be sent, which includes several ranges, unknown units and empty content. Returns null if the
 * range cannot be satisfied.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  // Some clients add a range to every request; for empty content they get an empty response, as with nginx
  // and Go's file server.
  if (sizeBytes === 0) return undefined
  const end = sizeBytes - 1
  if (first === '') {
    const start = Math.max(0, sizeBytes - Number(last))
    return Number(last) === 0 ? null : { start, end }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  return start > end ? null : { start, end: last === '' ? end : Math.min(Number(last), end) }
}
