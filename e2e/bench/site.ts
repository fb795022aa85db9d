import type { Pace, Target } from './drive.ts'
import { pageSize, settle, startOurs } from './ours.ts'

/** Size of a world, and how thoroughly to measure in it. */
export interface WorldSize {
  deals: number
  /** Number of deals whose events are sent, and of the other partner. */
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

/** A system with two partners. Everything is created when first used. */
export type Filled = ReturnType<typeof makeFilled>

/** What is measured most: the system and its first partner. */
export type Loaded = Awaited<ReturnType<Filled['loaded']>>

export function makeFilled({ stack, say }: Pick<Site, 'stack' | 'say'>, deals: number, otherDeals: number) {
  const system = once(() => {
    say('Starting the system on an empty directory')
    return startOurs(stack)
  })
  return {
    system,
    /** The system with the deals of the first partner. */
    loaded: once(async () => {
      const ours = await system()
      say(`Importing ${deals.toLocaleString('en')} deals`)
      const party = await ours.makeParty('bench', deals, 20_000_000_000n)
      await settle(ours.db())
      const headers = { Authorization: `Bearer ${party.token}` }
      const request = (path: string): Target => ({ url: `${ours.url}${path}`, headers, status: 200 })
      const listPage = (page: number) => request(`/api/deals?page=${page}&size=${pageSize}`)
      return { ...ours, party, request, listPage, importAgain: once(party.importAgain) }
    }),
    /** The second partner. */
    other: once(async () => (await system()).makeParty('other', otherDeals, otherFirstId)),
  }
}

/** ID of the first deal of the second partner. */
export const otherFirstId = 50_000_000_000n
