const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Truncates a text to at most `max` UTF-16 code units, with an ellipsis. Cuts between characters as users
 * perceive them, so emoji and accented letters stay whole.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  // Segments only slightly more than fits, because segmenting a long text is slow.
  for (const { index, segment } of characters.segment(text.slice(0, 2 * max))) {
    if (index + segment.length > max - 1) break
    end = index + segment.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}
