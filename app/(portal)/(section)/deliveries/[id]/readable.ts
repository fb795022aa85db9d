import { parseJson, stringifyJson } from '#server/protocol/int64.ts'

/** A JSON text with a line for each value and every digit of its ids; any other text as it is. */
export function readable(text: string): string {
  try {
    return stringifyJson(parseJson(text), 2)
  } catch {
    return text
  }
}
