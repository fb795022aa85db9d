import type { Api } from './api.ts'
import { Failure, exitCodes } from './failures.ts'
import { type Cell, type DealRows, dealIdOf, dealsTable, rowsOf } from './tables.ts'
import type { Target } from './target.ts'

/** The result of a comparison of all deals. */
export interface Verification {
  deals: number
  /** Deals with events that the copy does not have yet, which are not compared. */
  pending: number
  missing: string[]
  different: string[]
  extra: string[]
}

const idsListed = 20

/** Compares every value of every deal with the portal's. */
export async function verify(api: Api, target: Target): Promise<Verification> {
  const stored = await target.read()
  const after = stored?.state.after ?? null
  if (after === null) throw new Failure('the copy is not loaded yet', exitCodes.differs)
  const found: Verification = { deals: 0, pending: 0, missing: [], different: [], extra: [] }
  const copied = groupByDeal(target)
  let next = await copied.next()
  const skipTo = async (id: bigint | null) => {
    for (; next.done !== true && (id === null || next.value.id < id); next = await copied.next())
      found.extra.push(String(next.value.id))
  }
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await api.search(cursor ?? null)
    for (const deal of page.deals) {
      const rows = rowsOf(deal)
      await skipTo(rows.id)
      found.deals++
      if (next.done === true || next.value.id !== rows.id) found.missing.push(String(rows.id))
      else {
        if (comparable(next.value) !== comparable(rows)) found.different.push(String(rows.id))
        next = await copied.next()
      }
    }
    cursor = page.next
  }
  await skipTo(null)
  return withoutPending(found, await dealsAfter(api, after))
}

/** Returns the ids of the deals with events after this one. */
async function dealsAfter(api: Api, after: number): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let at = after; ;) {
    const { events, last, next } = await api.events(at)
    for (const event of events) ids.add(String(dealIdOf(event)))
    const reached = Math.max(at, next ?? 0, events.at(-1)?.sequence ?? 0)
    if (reached >= last || reached === at) return ids
    at = reached
  }
}

function withoutPending(found: Verification, pending: ReadonlySet<string>): Verification {
  const settled = (ids: string[]) => ids.filter((id) => !pending.has(id))
  return {
    ...found,
    pending: pending.size,
    missing: settled(found.missing),
    different: settled(found.different),
    extra: settled(found.extra),
  }
}

/** Shortens the lists of ids for a summary. */
export const summaryOf = ({ deals, pending, ...lists }: Verification) => ({
  deals,
  pending,
  ...Object.fromEntries(Object.entries(lists).map(([name, ids]) => [name, ids.length])),
  ids: Object.values(lists).flat().slice(0, idsListed),
})

/** Reads the deals of a copy with their persons, ascending by id. */
async function* groupByDeal(target: Target): AsyncGenerator<DealRows> {
  const persons = target.persons()[Symbol.asyncIterator]()
  let person = await persons.next()
  for await (const deal of target.deals()) {
    const id = BigInt(deal[0]!)
    const own: Cell[][] = []
    for (; person.done !== true && BigInt(person.value[0]!) <= id; person = await persons.next())
      own.push(person.value)
    yield { id, deal, persons: own }
  }
}

/** Returns the rows as text that is equal when the values are, whatever the form of a number. */
function comparable({ deal, persons }: DealRows): string {
  const cells = deal.map((cell, index) => {
    const { kind } = dealsTable.columns[index]!
    return cell !== null && (kind === 'money' || kind === 'double') ? Number(cell) : cell
  })
  return JSON.stringify([cells, persons.toSorted(([, a], [, b]) => (a! < b! ? -1 : 1))])
}
