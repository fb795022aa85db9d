import { createHash } from 'node:crypto'
import type { Api, DealPage } from './api.ts'
import { Failure, exitCodes } from './failures.ts'
import { type DealRows, dealIdOf, dealsTable, rowsOf } from './tables.ts'
import type { Target } from './target.ts'

const idsListed = 20

/** Compares every value of every deal with the portal's. */
export async function verify(api: Api, target: Target) {
  const stored = await target.read()
  const after = stored?.state.after ?? null
  if (after === null) throw new Failure('the copy is not loaded yet', exitCodes.differs)
  const copied = new Map<bigint, string>()
  for await (const rows of target.deals()) copied.set(rows.id, digestOf(rows))
  const missing: bigint[] = []
  const different: bigint[] = []
  let deals = 0
  for await (const rows of dealsOf(api)) {
    const copy = copied.get(rows.id)
    if (copy === undefined) missing.push(rows.id)
    else if (copy !== digestOf(rows)) different.push(rows.id)
    copied.delete(rows.id)
    deals++
  }
  // Deals with events that the copy does not have yet are not compared.
  const pending = await changedAfter(api, after)
  const settled = (found: Iterable<bigint>) => [...found].filter((id) => !pending.has(id))
  const lists = { missing: settled(missing), different: settled(different), extra: settled(copied.keys()) }
  const ids = Object.values(lists).flat()
  return {
    deals,
    pending: pending.size,
    ...Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.length])),
    ids: ids.slice(0, idsListed).map(String),
    code: ids.length === 0 ? exitCodes.ok : exitCodes.differs,
  }
}

async function* dealsOf(api: Api): AsyncGenerator<DealRows> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const { deals, next }: DealPage = await api.search(cursor)
    yield* deals.map(rowsOf)
    cursor = next
  }
}

/** Returns the ids of the deals with events after this one. */
async function changedAfter(api: Api, after: number): Promise<Set<bigint>> {
  const ids = new Set<bigint>()
  for (let at = after; ;) {
    const { events, next, last } = await api.events(at)
    for (const event of events) ids.add(dealIdOf(event))
    if (next === at || next >= last) return ids
    at = next
  }
}

/** Returns what is equal when the values are, whatever the form of a number. */
function digestOf({ deal, persons }: DealRows): string {
  const cells = deal.map((cell, index) => {
    const { kind } = dealsTable.columns[index]!
    return cell !== null && (kind === 'money' || kind === 'double') ? Number(cell) : cell
  })
  const sorted = persons.toSorted(([, a], [, b]) => (a! < b! ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([cells, sorted]))
    .digest('base64')
}
