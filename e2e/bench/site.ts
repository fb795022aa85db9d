import { pageSize } from './deal-file.ts'
import type { Pace, Target } from './drive.ts'
import { makeOurs } from './ours.ts'
import { makeParty } from './party.ts'
import { settle } from './peer.ts'

/** Size of a world, and how thoroughly to measure in it. */
export interface WorldSize {
  deals: number
  /** Number of deals of each partner whose events are sent. */
  partyDeals: number
  /** Maximum duration in seconds of the other partner's calls during an attack. */
  attackS: number
  pace: Pace
  drains: number
}

/** Where a world is built. `stack` cleans up, and `say` reports progress. */
export interface Site {
  stack: AsyncDisposableStack
  size: WorldSize
  say: (text: string) => void
}

/** Returns a function that calls `make` once and always returns the same result. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** A system filled with the deals of one partner. Created when first used. */
export type FilledSystem = ReturnType<typeof makeFilledSystem>

export function makeFilledSystem({ stack, size: { deals }, say }: Site) {
  const system = once(async () => {
    say('Starting the system on an empty directory')
    const ours = await makeOurs(stack)
    await ours.start()
    return ours
  })
  const loaded = once(async () => {
    const ours = await system()
    say(`Importing ${deals.toLocaleString('en')} deals`)
    const party = await makeParty(ours, 'bench', deals, 20_000_000_000n)
    await settle(await ours.databaseUrl())
    const headers = { Authorization: `Bearer ${party.token}` }
    const request = (path: string): Target => ({ url: `${ours.url}${path}`, headers, status: 200 })
    return {
      ...ours,
      party,
      request,
      listPage: (page: number) => request(`/api/deals?page=${page}&size=${pageSize}`),
      importAgain: once(() => party.importFile('unchanged')),
    }
  })
  return { databaseUrl: async () => (await system()).databaseUrl(), loaded }
}
