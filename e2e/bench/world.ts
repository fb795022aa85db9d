import { setTimeout as sleep } from 'node:timers/promises'
import { measureDeliveries } from './deliveries.ts'
import { readJson, send } from './drive.ts'
import type { Measurements } from './figures.ts'
import { measureListing } from './listing.ts'
import { measureNeighbours } from './neighbours.ts'
import { measurePortalCalls } from './portal-calls.ts'
import { measurePortal } from './portal.ts'
import { type Site, makeFilledSystem } from './site.ts'

const restMs = 5000

/**
 * Returns the measurements of a world, which is created when first needed, and a function that returns the
 * URL of its first database.
 */
export function makeWorld(site: Site): Measurements & { databaseUrl(): Promise<string> } {
  const filled = makeFilledSystem(site)
  const imports = async () => {
    const { party, importAgain } = await filled.loaded()
    return [party.firstImport, await importAgain()] as const
  }
  return {
    databaseUrl: filled.databaseUrl,
    importNewPerS: async () => (await filled.loaded()).party.firstImport.perS,
    importUnchangedPerS: async () => (await imports())[1].perS,
    importRssMb: async () => Math.max(...(await imports()).map(({ peakMb }) => peakMb)),
    ...measureListing(site, filled),
    ...measurePortalCalls(site, filled),
    ...measurePortal(site, filled),
    ...measureDeliveries(site),
    ...measureNeighbours(site),
    async idleRssMb() {
      const { restart, listPage, request, residentMb } = await filled.loaded()
      await restart()
      const rested = sleep(restMs)
      const { deals } = (await readJson(listPage(1))) as { deals: { id: number }[] }
      await send(request(`/api/deals/${deals[0]!.id}`))
      await send(request('/sign-in'))
      await rested
      return residentMb()
    },
  }
}
