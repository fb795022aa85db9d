/** Returns the first `max` characters of a text, without half a surrogate pair at the end, which inputs reject. */
export const cutText = (text: string, max: number) => text.slice(0, max).replace(/\p{Cs}$/u, '')
