import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { PartnerId } from '../accounts/partner.ts'

/**
 * Returns the key that signs file URLs. The key is derived from the installation's secret (HKDF, RFC 5869).
 */
export function fileKeyFrom(authSecret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', authSecret, '', 'addresses of files', 32))
}

/**
 * The reader that a URL was signed for: a partner, the installer's staff, or a browser (identified by the
 * hash of its session). The URL works as long as this reader may read the file.
 */
export type Reader = `partner ${PartnerId}` | 'staff' | `session ${string}`

/**
 * Returns the path and query of a URL at which a file can be downloaded until `expiresAt` (whole seconds
 * since 1970).
 */
export const signPath = (key: Buffer, fileId: string, reader: Reader, expiresAt: number): string =>
  `/files/${fileId}?expires=${expiresAt}&signature=${sign(key, fileId, reader, expiresAt)}`

/** Returns the path and query of a URL at which a browser displays a file until `expiresAt`. */
export const signViewPath = (key: Buffer, fileId: string, reader: Reader, expiresAt: number): string =>
  `/files/${fileId}/view?expires=${expiresAt}&signature=${sign(key, `${fileId}/view`, reader, expiresAt)}`

/** A signed URL that was not altered and has not expired. */
export interface SignedUrl {
  fileId: string
  /** True if the URL displays the file instead of downloading it. */
  isView: boolean
  /** Returns true if the URL was signed for this reader. */
  isOf(reader: Reader): boolean
}

const pattern =
  /^\/files\/(([A-Za-z0-9_-]{1,64})(\/view)?)\?expires=([1-9]\d{0,14})&signature=([A-Za-z0-9_-]{43})$/

/**
 * Parses a signed path and query. Returns null if the URL was altered or has expired at `now` (seconds since
 * 1970).
 */
export function openPath(key: Buffer, path: string, now: number): SignedUrl | null {
  const match = pattern.exec(path)
  if (match === null) return null
  const [, signed, fileId, view, expires, signature] = match as string[]
  const expiresAt = Number(expires)
  const found = Buffer.from(signature!, 'base64url').subarray(0, partBytes)
  if (now >= expiresAt || !timingSafeEqual(found, partOf(key, `${signed}\n${expiresAt}`))) return null
  return {
    fileId: fileId!,
    isView: view !== undefined,
    // Compares the text, because different base64 texts can encode the same bytes.
    isOf: (reader) =>
      timingSafeEqual(Buffer.from(signature!), Buffer.from(sign(key, signed!, reader, expiresAt))),
  }
}

const partBytes = 16

/** Returns a signature. The first half proves the path and expiry; the second half also proves the reader. */
function sign(key: Buffer, text: string, reader: Reader, expiresAt: number): string {
  const parts = [`${text}\n${expiresAt}`, `${text}\n${expiresAt}\n${reader}`]
  return Buffer.concat(parts.map((part) => partOf(key, part))).toString('base64url')
}

const partOf = (key: Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest().subarray(0, partBytes)
