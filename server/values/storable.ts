/**
 * Returns a text of at most `max` characters in a form that PostgreSQL can store, without NUL and lone
 * surrogates.
 */
export const storable = (text: string, max = Infinity): string =>
  text.slice(0, max).replaceAll('\0', '').toWellFormed()
