/** Truncates a text to `max` characters without splitting a surrogate pair. */
export const ellipsize = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`

const quotedMax = 40

// Leaves room for spaces that are removed.
const textMax = 1000

/** Returns a text in quotation marks, shortened if long: “12 k”. */
export function quoted(text: string): string {
  const line = text
    .slice(0, textMax)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069\s]+/gu, ' ')
  return `“${ellipsize(line, quotedMax)}”`
}
