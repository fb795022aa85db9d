/**
 * Returns the delay in milliseconds in a `Retry-After` header (RFC 9110, section 10.2.3), or null if invalid.
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000
  const at = /^[a-z]{3,9}, ?\d/i.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
