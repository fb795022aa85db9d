import contentDisposition from 'content-disposition'

/**
 * Returns the `Content-Disposition` header of a file, in ASCII only: clients and stores read other characters in
 * different ways. A name beyond ASCII is in `filename*` (RFC 6266).
 */
export const dispositionOf = (name: string, type: 'attachment' | 'inline' = 'attachment') =>
  contentDisposition(name, { type, fallback: name.replaceAll(/[^\x20-\x7e]/gu, '?') })
