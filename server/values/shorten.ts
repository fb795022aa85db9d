import { parseJson, stringifyJson } from './int64.ts'
import { ellipsize } from './quoted.ts'

/** Maximum length of displayed text. */
export const textMax = 200

/** Returns the JSON with texts truncated to `max` characters. */
export const shorten = (json: string, max = textMax) =>
  json.length <= max ? json : stringifyJson(shortenValue(parseJson(json), max))

function shortenValue(value: unknown, max: number): unknown {
  if (typeof value === 'string') return ellipsize(value, max)
  if (Array.isArray(value)) return value.map((inner) => shortenValue(inner, max))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenValue(inner, max)]))
    : value
}
