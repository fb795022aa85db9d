/**
 * Returns the first `max` characters of a text without NUL and without half a surrogate pair at the end,
 * which inputs reject.
 */
export const cutText = (text: string, max: number) =>
  text
    .replaceAll('\0', '')
    .slice(0, max)
    .replace(/\p{Cs}$/u, '')

/** Returns the first `max` characters of a text on one line, without control characters, which inputs reject. */
export const cutLine = (text: string, max: number) => cutText(text.replaceAll(/\p{Cc}/gu, ''), max).trim()
