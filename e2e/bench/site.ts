import { pageSize } from './deal-file.ts'
import type { Pace, Target } from './drive.ts'
import { makeOurs } from './ours.ts'
import { makeParty } from './party.ts'
import { settle } from './peer.ts'

/** The size of a world, and the thoroughness of its measurements. */
export interface WorldSize {
  deals: number
  /** Deals of each partner whose events are sent. */
  partyDeals: number
  /** Maximum time that another partner calls during an attack, in seconds. */
  attackS: number
  pace: Pace
  drains: number
}

/** Where a world is built: `stack` cleans up, `say` reports progress. */
export interface Site {
  stack: AsyncDisposableStack
  size: WorldSize
  say: (text: string) => void
}

/** Returns a function that computes its result on the first call and returns it from then on. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** A system with all deals of one partner; built on first use. */
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
