import { type BigFileFigures, measureBigFile } from './big-file.ts'
import { type BrowsingFigures, measureBrowsing } from './browsing.ts'
import { type FilledSystem, benchPartner, makeFilledSystem } from './filled-system.ts'
import { type FollowingFigures, measureFollowing } from './following.ts'
import { type ListingFigures, measureListing } from './listing.ts'
import { type NeighbourFigures, measureNeighbours } from './neighbours.ts'
import { timePortalCalls } from './portal-calls.ts'
import { timeSearches } from './searches.ts'
import { type SendingFigures, measureSending } from './sending.ts'
import type { Site } from './site.ts'

/** The data behind the figures. Each part is built once, when first needed. */
export interface World
  extends
    FilledSystem,
    ListingFigures,
    SendingFigures,
    BrowsingFigures,
    BigFileFigures,
    FollowingFigures,
    NeighbourFigures {
  deals: number
  /** How many searches of the portal the loaded system answers a second. */
  searchesPerS(): Promise<number>
  /** The 95th percentile of the slowest call of the portal that finds or counts deals, in ms. */
  portalCallMs(): Promise<number>
}

export function makeWorld(site: Site): World {
  const { size, say } = site
  const filled = makeFilledSystem(site)

  async function searchesPerS(): Promise<number> {
    const ours = await filled.loaded()
    say('Searching')
    return timeSearches(await ours.databaseUrl(), benchPartner.slug)
  }

  async function portalCallMs(): Promise<number> {
    const ours = await filled.loaded()
    say('Timing the calls of the portal')
    return timePortalCalls(await ours.databaseUrl(), benchPartner.slug, say)
  }

  return {
    deals: size.deals,
    ...filled,
    searchesPerS,
    portalCallMs,
    ...measureListing(site, filled),
    ...measureSending(site),
    ...measureBrowsing(site, filled),
    ...measureBigFile(site),
    ...measureFollowing(site),
    ...measureNeighbours(site),
  }
}
