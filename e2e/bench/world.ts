import { setTimeout as sleep } from 'node:timers/promises'
import { type DeliveryFigures, measureDeliveries } from './deliveries.ts'
import { readJson, send } from './drive.ts'
import { type FilledSystem, makeFilledSystem } from './filled-system.ts'
import { type ListingFigures, measureListing } from './listing.ts'
import { type NeighbourFigures, measureNeighbours } from './neighbours.ts'
import { type PortalCallFigures, measurePortalCalls } from './portal-calls.ts'
import { type PortalFigures, measurePortal } from './portal.ts'
import type { Site } from './site.ts'

/** The data behind the figures. Each part is built once, when first needed. */
export interface World
  extends FilledSystem, ListingFigures, PortalCallFigures, PortalFigures, DeliveryFigures, NeighbourFigures {
  /** The resident memory of the idle system after a request of each kind, in MB. */
  idleMb(): Promise<number>
}

const restMs = 5000

/** Returns the measurements of one world. */
export function makeWorld(site: Site): World {
  const filled = makeFilledSystem(site)
  return {
    ...filled,
    ...measureListing(site, filled),
    ...measurePortalCalls(site, filled),
    ...measurePortal(site, filled),
    ...measureDeliveries(site),
    ...measureNeighbours(site),
    async idleMb() {
      const ours = await filled.loaded()
      await ours.stop()
      await ours.start()
      const rested = sleep(restMs)
      const { deals } = (await readJson(filled.listPage(1))) as { deals: { id: number }[] }
      await send(filled.request(`/api/deals/${deals[0]!.id}`))
      await send(filled.request('/sign-in'))
      await rested
      return ours.residentMb()
    },
  }
}
