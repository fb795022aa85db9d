/** A mention that is being typed. */
export interface TypedMention {
  /** Where its `@` stands. */
  start: number
  /** What follows it, up to the cursor. */
  query: string
}

/** What may be typed of a name: at most two words. */
const beginOfName = /^[\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]*)?$/u

/** Returns the mention that ends at the cursor, or null. */
export function mentionAt(text: string, cursor: number): TypedMention | null {
  const start = text.slice(0, cursor).lastIndexOf('@')
  const query = text.slice(start + 1, cursor)
  // As in an e-mail address.
  const isInWord = /[\p{L}\p{N}]/u.test(text.charAt(start - 1))
  return start === -1 || isInWord || !beginOfName.test(query) ? null : { start, query }
}

const suggestedMax = 6

/** Returns the people with a word of their name that starts with the typed text. */
export function suggestionsFor<Person extends { name: string }>(
  people: readonly Person[],
  query: string,
): Person[] {
  const wanted = query.toLowerCase()
  return people
    .filter(({ name }) => {
      const words = name.toLowerCase()
      return words.startsWith(wanted) || words.includes(` ${wanted}`)
    })
    .slice(0, suggestedMax)
}
