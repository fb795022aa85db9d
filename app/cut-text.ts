/**
 * Returns the first `max` characters of a string, without NUL characters and without half a surrogate pair at
 * the end. Inputs would reject both.
 */
export const cutText = (text: string, max: number) =>
  text
    .replaceAll('\0', '')
    .slice(0, max)
    .replace(/\p{Cs}$/u, '')

/** Like `cutText`, but also removes line breaks and control characters, which inputs would reject. */
export const cutLine = (text: string, max: number) => cutText(text.replaceAll(/\p{Cc}/gu, ''), max).trim()
