import { setTimeout as sleep } from 'node:timers/promises'
import { measureDeliveries } from './deliveries.ts'
import { readJson, send } from './drive.ts'
import type { Measurements } from './figures.ts'
import { makeFilledSystem } from './filled-system.ts'
import { measureListing } from './listing.ts'
import { measureNeighbours } from './neighbours.ts'
import { measurePortalCalls } from './portal-calls.ts'
import { measurePortal } from './portal.ts'
import type { Site } from './site.ts'

const restMs = 5000

/** Returns the measurements of one world, each part of which is built when first needed, and the URL of its first database. */
export function makeWorld(site: Site): Measurements & { databaseUrl(): Promise<string> } {
  const filled = makeFilledSystem(site)
  const { firstImport, unchangedImport } = filled
  return {
    databaseUrl: filled.databaseUrl,
    importNewPerS: async () => (await firstImport()).perS,
    importUnchangedPerS: async () => (await unchangedImport()).perS,
    importRssMb: async () => Math.max((await firstImport()).peakMb, (await unchangedImport()).peakMb),
    ...measureListing(site, filled),
    ...measurePortalCalls(site, filled),
    ...measurePortal(site, filled),
    ...measureDeliveries(site),
    ...measureNeighbours(site),
    async idleRssMb() {
      const ours = await filled.loaded()
      await ours.restart()
      const rested = sleep(restMs)
      const { deals } = (await readJson(filled.listPage(1))) as { deals: { id: number }[] }
      await send(filled.request(`/api/deals/${deals[0]!.id}`))
      await send(filled.request('/sign-in'))
      await rested
      return ours.residentMb()
    },
  }
}
