import { setImmediate } from 'node:timers/promises'

// About 250 typical deals. Processing more without a break would delay other requests.
const portionLength = 1024 * 1024

/** Yields texts or deals in portions of about a megabyte, and lets other requests run between portions. */
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
