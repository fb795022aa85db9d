import { formatCountOf } from '#app/ui/format.ts'
import { dayMs, hourMs, minuteMs } from '#server/values/units.ts'
/** A part of a message: plain text, a link, or a mention. */
export interface MessagePart {
  kind: 'text' | 'link' | 'mention'
  text: string
}

// Punctuation at the end of a link is not part of the link.
const link = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/giu

/** Splits plain text that mentions these people into parts. Only web URLs become links. */
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

export interface TypedMention {
  start: number
  query: string
}

const beginOfName = /^[\p{L}\p{N}.'’-]*(?: [\p{L}\p{N}.'’-]*)?$/u

/** Returns the mention that ends at the cursor, or null if there is none. */
export function mentionAt(text: string, cursor: number): TypedMention | null {
  const start = text.slice(0, cursor).lastIndexOf('@')
  const query = text.slice(start + 1, cursor)
  // An `@` inside a word belongs to an e-mail address.
  const isInWord = /[\p{L}\p{N}]/u.test(text.charAt(start - 1))
  return start === -1 || isInWord || !beginOfName.test(query) ? null : { start, query }
}

const suggestedMax = 6

/** Returns the people with a first or last name that starts with the typed text. */
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

/** Describes the usual answer time, such as `Usually answered within 5 hours`. */
export function usualAnswerText(ms: number): string {
  if (ms <= hourMs) return 'Usually answered within an hour'
  const span =
    ms <= 48 * hourMs - 30 * minuteMs
      ? formatCountOf(Math.ceil(ms / hourMs), 'hour')
      : formatCountOf(Math.ceil(ms / dayMs), 'day')
  return `Usually answered within ${span}`
}
