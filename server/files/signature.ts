import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * Returns the key that signs addresses of files, derived from the secret of the installation (HKDF, RFC
 * 5869).
 */
export function fileKeyFrom(authSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret, '', 'addresses of files', 32))
}

/**
 * Returns the path and query of an address under which a file can be had until `expiresAt` (whole seconds
 * since 1970).
 */
export function signPath(key: Buffer, fileId: string, expiresAt: number): string {
  return `/files/${fileId}?expires=${expiresAt}&signature=${sign(key, fileId, expiresAt)}`
}

const pattern = /^\/files\/([A-Za-z0-9_-]{1,64})\?expires=([1-9]\d{0,14})&signature=([A-Za-z0-9_-]{43})$/

/**
 * Returns the id of the file that a signed path and query opens at `now` (seconds since 1970); null when any
 * character is off or the time is up.
 */
export function openPath(key: Buffer, path: string, now: number): string | null {
  const match = pattern.exec(path)
  if (match === null) return null
  const [, fileId, expires, signature] = match as unknown as [string, string, string, string]
  const expected = sign(key, fileId, Number(expires))
  // The text is compared, not the bytes: in base64 several texts stand for the same bytes.
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) && now < Number(expires)
    ? fileId
    : null
}

function sign(key: Buffer, fileId: string, expiresAt: number): string {
  return createHmac('sha256', key).update(`${fileId}\n${expiresAt}`).digest('base64url')
}
