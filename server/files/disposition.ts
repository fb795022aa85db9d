import contentDisposition from 'content-disposition'

/**
 * Returns the `Content-Disposition` header for a file name. The header is pure ASCII, because clients and
 * stores interpret other characters differently; `filename*` contains names with other characters (RFC 6266).
 */
export const dispositionOf = (name: string, type: 'attachment' | 'inline' = 'attachment') =>
  contentDisposition(name, { type, fallback: name.replaceAll(/[^\x20-\x7e]/gu, '?') })
