const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Returns the text cut to at most `max` UTF-16 units, with an ellipsis. Cuts between characters as people see
 * them: no emoji or accent is split.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  // A little more than fits, because segmenting a long text is slow.
  for (const { index, segment } of characters.segment(text.slice(0, 2 * max))) {
    if (index + segment.length > max - 1) break
    end = index + segment.length
  }
  return `${text.slice(0, end).trimEnd()}…`
}
