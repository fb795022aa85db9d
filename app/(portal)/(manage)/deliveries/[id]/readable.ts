import { parseJson, stringifyJson } from '#server/values/int64.ts'

/** Indents JSON text without changing any digits. Returns other text unchanged. */
export function readable(text: string): string {
  try {
    return stringifyJson(parseJson(text), 2)
  } catch {
    return text
  }
}
