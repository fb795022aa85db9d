import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Returns the key that signs file URLs, derived from the installation's secret (HKDF, RFC 5869). */
export function fileKeyFrom(authSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret, '', 'addresses of files', 32))
}

/** Returns the path and query of a URL that serves a file until `expiresAt` (whole seconds since 1970). */
export function signPath(key: Buffer, fileId: string, expiresAt: number): string {
  return `/files/${fileId}?expires=${expiresAt}&signature=${sign(key, fileId, expiresAt)}`
}

/** Returns the path and query of a URL at which a browser shows a file instead of downloading it. */
export function signViewPath(key: Buffer, fileId: string, expiresAt: number): string {
  return `/files/${fileId}/view?expires=${expiresAt}&signature=${sign(key, `${fileId}/view`, expiresAt)}`
}

const viewPattern =
  /^\/files\/([A-Za-z0-9_-]{1,64}\/view)\?expires=([1-9]\d{0,14})&signature=([A-Za-z0-9_-]{43})$/

const pattern = /^\/files\/([A-Za-z0-9_-]{1,64})\?expires=([1-9]\d{0,14})&signature=([A-Za-z0-9_-]{43})$/

/** Returns the file id in a signed URL of `signViewPath`; null if it is altered or expired. */
export const openViewPath = (key: Buffer, path: string, now: number): string | null =>
  openSigned(viewPattern, key, path, now)?.replace('/view', '') ?? null

/**
 * Returns the file id in a signed path and query at `now` (seconds since 1970); null if it is altered or
 * expired.
 */
export const openPath = (key: Buffer, path: string, now: number): string | null =>
  openSigned(pattern, key, path, now)

/** Returns the signed text of a path; null if it is altered or expired. */
function openSigned(form: RegExp, key: Buffer, path: string, now: number): string | null {
  const match = form.exec(path)
  if (match === null) return null
  const [, signed, expires, signature] = match as unknown as [string, string, string, string]
  const expected = sign(key, signed, Number(expires))
  // Compares the text, not the bytes: several base64 texts encode the same bytes.
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) && now < Number(expires)
    ? signed
    : null
}

function sign(key: Buffer, text: string, expiresAt: number): string {
  return createHmac('sha256', key).update(`${text}\n${expiresAt}`).digest('base64url')
}
