import { parseJson, stringifyJson } from '#server/values/int64.ts'

/** Indents a JSON text, with every digit of its IDs. Returns any other text unchanged. */
export function readable(text: string): string {
  try {
    return stringifyJson(parseJson(text), 2)
  } catch {
    return text
  }
}
