import { parseJson, stringifyJson } from './int64.ts'
/** Truncates a string to `max` characters without splitting a surrogate pair. */
export const ellipsize = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`

const quotedMax = 40

// Leaves room for spaces that are removed.
const quotedFromMax = 1000

/** Returns a string in quotation marks, shortened if long: “12 k”. */
export function quoted(text: string): string {
  const line = text
    .slice(0, quotedFromMax)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069\s]+/gu, ' ')
  return `“${ellipsize(line, quotedMax)}”`
}

/**
 * Returns a string of at most `max` characters in a form that PostgreSQL can store, without NUL and lone
 * surrogates.
 */
export const storable = (text: string, max = Infinity): string =>
  text.slice(0, max).replaceAll('\0', '').toWellFormed()

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Truncates a string to at most `max` UTF-16 code units, with an ellipsis. Cuts between characters as users
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

/** Maximum length of displayed text. */
export const textMax = 200

/** Truncates the strings in the JSON to `max` characters. */
export const shorten = (json: string, max = textMax) =>
  json.length <= max ? json : stringifyJson(shortenValue(parseJson(json), max))

function shortenValue(value: unknown, max: number): unknown {
  if (typeof value === 'string') return ellipsize(value, max)
  if (Array.isArray(value)) return value.map((inner) => shortenValue(inner, max))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenValue(inner, max)]))
    : value
}
