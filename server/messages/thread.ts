/** The state of a question: open, answered, or resolved without need of an answer. */
export type ThreadState = 'open' | 'answered' | 'resolved'

/** Returns the state of a thread. */
export function stateOf({
  waitingSince,
  resolvedAt,
}: {
  waitingSince: Date | null
  resolvedAt: Date | null
}): ThreadState {
  if (resolvedAt !== null) return 'resolved'
  return waitingSince === null ? 'answered' : 'open'
}

/** A person whom a message may mention. */
export interface Mentionable {
  id: number
  name: string
}

/** Returns the ids of the people mentioned in a text as `@Ana Lopez`. */
export function mentionedIn(text: string, people: readonly Mentionable[]): number[] {
  const byName = Map.groupBy(people, ({ name }) => name)
  // `@Ana Lopez` does not mention Ana, and a longer name takes precedence over a shorter one inside it.
  const names = [...byName.keys()].filter(Boolean).toSorted((a, b) => b.length - a.length)
  const found = new Set<number>()
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) continue
    const rest = text.slice(at + 1)
    const name = names.find(
      (each) => rest.startsWith(each) && !/^[\p{L}\p{N}]/u.test(rest.slice(each.length)),
    )
    for (const { id } of name === undefined ? [] : byName.get(name)!) found.add(id)
  }
  return [...found]
}

/** Returns the people to notify: the asker, earlier responders and mentioned people; never the author. */
export function notifiedOf({
  authorId,
  mentions,
  participants,
}: {
  authorId: number | null
  mentions: readonly number[]
  participants: readonly number[]
}): number[] {
  return [...new Set([...participants, ...mentions])].filter((id) => id !== authorId)
}

/**
 * Returns the other recipients of mail about a partner's message: users responsible for the deal, or the
 * whole team.
 */
export function mailedOf({
  notified,
  responsible,
  operators,
}: {
  notified: readonly number[]
  /** The users responsible for the deal, without the author. */
  responsible: readonly number[]
  operators: readonly number[]
}): number[] {
  const isCovered = responsible.length > 0 || notified.some((id) => operators.includes(id))
  return (isCovered ? responsible : operators).filter((id) => !notified.includes(id))
}
