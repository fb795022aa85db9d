import { createHash } from 'node:crypto'
import type { PartnerDeals } from '#public/clients/partner-deals.ts'
import { Failure, exitCodes } from './failures.ts'
import { type DealRows, dealsTable, rowsOf } from './tables.ts'
import type { Target } from './target.ts'

const idsListed = 20

/** Compares every value of every deal with the portal's value. */
export async function verify(client: PartnerDeals, target: Target) {
  const stored = await target.read()
  const after = stored?.state.after ?? null
  if (after === null) throw new Failure('the copy is not loaded yet', exitCodes.differs)
  const copied = new Map<bigint, string>()
  for await (const rows of target.deals()) copied.set(rows.id, digestOf(rows))
  const missing: bigint[] = []
  const different: bigint[] = []
  let deals = 0
  for await (const deal of client.deals.search({ sort: 'id' })) {
    const rows = rowsOf(deal)
    const copy = copied.get(rows.id)
    if (copy === undefined) missing.push(rows.id)
    else if (copy !== digestOf(rows)) different.push(rows.id)
    copied.delete(rows.id)
    deals++
  }
  // Skips deals with events that the copy has not applied yet.
  const pending = await changedAfter(client, after)
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

/** Returns the IDs of all deals with events after this one. */
async function changedAfter(client: PartnerDeals, after: number): Promise<Set<bigint>> {
  const ids = new Set<bigint>()
  for (let at = after; ;) {
    const { events, next, last } = await client.events.list({ after: at, limit: 100 })
    for (const { dealId } of events) ids.add(BigInt(dealId))
    if (next === at || next >= last) return ids
    at = next
  }
}

/**
 * Returns a digest of a deal's values, in which the same number has the same digest regardless of its
 * notation.
 */
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
