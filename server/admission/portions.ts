import { setImmediate } from 'node:timers/promises'

// Work without interruption blocks every other request; 250 typical deals are this long.
const portionLength = 1024 * 1024

/**
 * Yields text, or deals, in portions of about a megabyte, in order; other requests are handled in between.
 */
export async function* portionsOf<Item extends string | { json: string }>(
  items: readonly Item[],
): AsyncGenerator<Item[], void> {
  let portion: Item[] = []
  let length = 0
  for (const item of items) {
    portion.push(item)
    length += typeof item === 'string' ? item.length : item.json.length
    if (length < portionLength) continue
    yield portion
    portion = []
    length = 0
    await setImmediate()
  }
  if (portion.length > 0) yield portion
}
