import { extname } from 'node:path'
import mime from 'mime-types'

/** The place where a file's content is stored: the data directory, an S3-compatible store, or the CRM. */
export type StorageName = 'disk' | 's3' | 'crm'

/** Returns true if the text is a valid file ID. */
export function isFileId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text)
}

/** Returns a new file ID. `random` must return the given number of random bytes. */
export function makeFileId(random: (count: number) => Buffer): string {
  return random(16).toString('base64url')
}

/** Returns a file name's extension in lower case, without the dot, or null if there is none. */
export function extensionOf(name: string): string | null {
  const extension = extname(name).slice(1).toLowerCase()
  return extension === '' ? null : extension
}

/** Returns the media type (RFC 6838) for a file name. */
export function typeOf(name: string): string {
  // The library would treat a name without an extension as an extension.
  return mime.lookup(extensionOf(name) ?? '') || 'application/octet-stream'
}

/**
 * Direction marks, which can disguise a file's extension, and zero-width characters except joiners, which
 * some emoji require.
 */
const invisible = /[\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/

/**
 * Returns the problem with a file name, or null. A name is valid if it can be the last segment of a path on
 * all systems.
 */
export function nameProblem(name: string): string | null {
  if (name.length < 1 || name.length > 255) return 'must be 1 to 255 characters long'
  if (/[\p{Cc}\p{Cs}/\\]/u.test(name)) return 'must not contain slashes or control characters'
  if (invisible.test(name)) return 'must not contain direction marks or invisible characters'
  return name === '.' || name === '..' ? 'must be a name' : null
}

export type PreviewKind = 'image' | 'pdf'

/** Types that browsers display without running scripts. Excludes SVG and HTML. */
const kinds: Record<string, PreviewKind> = {
  'image/avif': 'image',
  'image/gif': 'image',
  'image/jpeg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'application/pdf': 'pdf',
}

/** Returns how a browser displays a file of this type, or null if it should not. */
export const previewKindOf = (type: string): PreviewKind | null =>
  Object.hasOwn(kinds, type) ? kinds[type]! : null

/**
 * Returns the Content-Security-Policy for displaying a file. Images are sandboxed. Browsers do not display
 * PDFs in a sandbox, but their viewers isolate scripts in the PDF; the policy prevents pages from framing the
 * PDF.
 */
export const previewPolicy = (kind: PreviewKind): string =>
  kind === 'image'
    ? "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'"
    : "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
