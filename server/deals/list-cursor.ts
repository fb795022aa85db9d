/** A position in a list, together with how many times the list's gaps had been closed at that time. */
export interface ListPlace {
  closings: number
  position: number
}

/** The content of the cursor in a `next` link. */
export interface ListCursor extends ListPlace {
  /** The page that the cursor leads to. */
  page: number
}

/** Formats a cursor as text, which is opaque to clients. */
export const formatCursor = ({ page, closings, position }: ListCursor): string =>
  Buffer.from(`${page}.${closings}.${position}`).toString('base64url')

/** Parses a cursor. Returns null if the text is not a valid cursor. */
export function parseCursor(text: string): ListCursor | null {
  const decoded = Buffer.from(text, 'base64url').toString()
  const [, page, closings, position] = /^(\d{1,10})\.(\d{1,9})\.(\d{1,15})$/.exec(decoded) ?? []
  if (position === undefined) return null
  const cursor = { page: Number(page), closings: Number(closings), position: Number(position) }
  return formatCursor(cursor) === text ? cursor : null
}
