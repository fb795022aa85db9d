import { setImmediate } from 'node:timers/promises'

// Work without interruption keeps every other request waiting; 250 usual deals are this long.
const portionLength = 1024 * 1024

/** Yields texts in portions of about a megabyte, in order; other requests are handled in between. */
export async function* portionsOf(texts: string[]): AsyncGenerator<string[], void> {
  let portion: string[] = []
  let length = 0
  for (const text of texts) {
    portion.push(text)
    length += text.length
    if (length < portionLength) continue
    yield portion
    portion = []
    length = 0
    await setImmediate()
  }
  if (portion.length > 0) yield portion
}
