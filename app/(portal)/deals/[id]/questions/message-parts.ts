/** A part of a message: text, a link, or the mention of a person. */
export interface MessagePart {
  kind: 'text' | 'link' | 'mention'
  text: string
}

// Punctuation after a link is not part of it.
const link = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/giu

/** Returns the parts of a plain text that mentions these people. Only web URLs are links. */
export function partsOf(text: string, mentions: readonly string[]): MessagePart[] {
  const parts: MessagePart[] = []
  let end = 0
  for (const { 0: url, index } of text.matchAll(link)) {
    if (!URL.canParse(url)) continue
    parts.push(...mentionsIn(text.slice(end, index), mentions), { kind: 'link', text: url })
    end = index + url.length
  }
  return [...parts, ...mentionsIn(text.slice(end), mentions)]
}

function mentionsIn(text: string, mentions: readonly string[]): MessagePart[] {
  const names = mentions.map((name) => `@${name}`).toSorted((a, b) => b.length - a.length)
  const parts: MessagePart[] = []
  let begin = 0
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const name = names.find((each) => text.startsWith(each, at))
    if (name === undefined || at < begin) continue
    parts.push({ kind: 'text', text: text.slice(begin, at) }, { kind: 'mention', text: name })
    begin = at + name.length
  }
  return [...parts, { kind: 'text' as const, text: text.slice(begin) }].filter((part) => part.text !== '')
}

/** A mention that is being typed. */
export interface TypedMention {
  /** The index of its `@`. */
  start: number
  /** The text between the @ and the cursor. */
  query: string
}

/** The part of a name that may be typed: at most two words. */
const beginOfName = /^[\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]*)?$/u

/** Returns the mention that ends at the cursor, or null. */
export function mentionAt(text: string, cursor: number): TypedMention | null {
  const start = text.slice(0, cursor).lastIndexOf('@')
  const query = text.slice(start + 1, cursor)
  // An @ within a word is an e-mail address, not a mention.
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
