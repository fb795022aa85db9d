import { type ResponsibleRole, blockerOf } from '../deals/blocker.ts'
import { parseKnown } from '../deals/render.ts'
import type { StageOf } from '../stages/stage.ts'
/** The state of a question: open, answered, or resolved with no answer needed. */
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

export interface Mentionable {
  id: number
  name: string
}

/** Returns the ids of the people mentioned in a message, as in `@Ana Lopez`. */
export function mentionedIn(text: string, people: readonly Mentionable[]): number[] {
  const byName = Map.groupBy(people, ({ name }) => name)
  // Longer names take precedence: `@Ana Lopez` does not mention a user named Ana.
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

/**
 * Returns the other people to mail about a partner's message: users responsible for the deal, or else the
 * whole team.
 */
export function mailedOf({
  notified,
  responsible,
  operators,
}: {
  notified: readonly number[]
  /** Users responsible for the deal, except the author. */
  responsible: readonly number[]
  operators: readonly number[]
}): number[] {
  const isCovered = responsible.length > 0 || notified.some((id) => operators.includes(id))
  return (isCovered ? responsible : operators).filter((id) => !notified.includes(id))
}

/** A stored deal, and the flags that its sources have set. */
export interface StoredDeal {
  json: string
  given: number | null
}

export interface Responsible {
  role: ResponsibleRole | null
  name: string | null
  email: string | null
}

/**
 * Returns who is responsible for a deal, as shown on the deal page. All fields are null for a closed deal.
 */
export function responsibleForDeal(
  { json, given }: StoredDeal,
  stageOf: StageOf,
  nowMs: number,
): Responsible {
  const deal = parseKnown(json, given)
  const blocker = blockerOf(deal, stageOf(deal.stage), nowMs)
  const [role, name] = [blocker?.holder ?? null, blocker?.name ?? null]
  const email = role === null || role === 'lender' ? null : (deal[role]?.email ?? null)
  return { role, name, email: email?.trim().toLowerCase() || null }
}

/** Returns the name of a deal as shown in messages. */
export function nameOfDeal(id: string, json: string): string {
  const { dealname, firstName, lastName } = JSON.parse(json) as Record<string, string | null | undefined>
  return dealname?.trim() || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}
