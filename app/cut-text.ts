/** Returns the first `max` characters of a text, without the half of one that would be cut through, which no input takes. */
export const cutText = (text: string, max: number) => text.slice(0, max).replace(/\p{Cs}$/u, '')
