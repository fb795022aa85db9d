import { parseJson, stringifyJson } from '../values/int64.ts'
import { ellipsize } from '../values/quoted.ts'

export { ellipsize } from '../values/quoted.ts'

/** The maximum length of displayed text. */
export const textMax = 200

/** Returns the JSON with long texts truncated. */
export const shorten = (json: string) =>
  json.length <= textMax ? json : stringifyJson(shortenValue(parseJson(json)))

function shortenValue(value: unknown): unknown {
  if (typeof value === 'string') return ellipsize(value, textMax)
  if (Array.isArray(value)) return value.map(shortenValue)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenValue(inner)]))
    : value
}
