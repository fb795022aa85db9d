/** A position of a list, and how often the gaps of the list had been closed then. */
export interface ListPlace {
  closings: number
  position: number
}

/** The content of the cursor in a `next` link. */
export interface ListCursor extends ListPlace {
  /** The page that it leads to. */
  page: number
}

/** Returns the cursor as text, which is opaque to clients. */
export const formatCursor = ({ page, closings, position }: ListCursor): string =>
  Buffer.from(`${page}.${closings}.${position}`).toString('base64url')

/** Returns the cursor in the text, or null. */
export function parseCursor(text: string): ListCursor | null {
  const decoded = Buffer.from(text, 'base64url').toString()
  const [, page, closings, position] = /^(\d{1,10})\.(\d{1,9})\.(\d{1,15})$/.exec(decoded) ?? []
  if (position === undefined) return null
  const cursor = { page: Number(page), closings: Number(closings), position: Number(position) }
  return formatCursor(cursor) === text ? cursor : null
}
