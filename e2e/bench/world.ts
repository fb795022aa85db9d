import { type BrowsingFigures, measureBrowsing } from './browsing.ts'
import { type FilledSystem, benchPartner, makeFilledSystem } from './filled-system.ts'
import { type ListingFigures, measureListing } from './listing.ts'
import { timeSearches } from './searches.ts'
import { type SendingFigures, measureSending } from './sending.ts'
import type { Site } from './site.ts'

/** What the figures are taken from. Each part is made when a figure first asks for it, and once. */
export interface World extends FilledSystem, ListingFigures, SendingFigures, BrowsingFigures {
  deals: number
  /** How many searches of the portal the loaded system answers a second. */
  searchesPerS(): Promise<number>
}

export function makeWorld(site: Site): World {
  const { size, say } = site
  const filled = makeFilledSystem(site)

  async function searchesPerS(): Promise<number> {
    const ours = await filled.loaded()
    say('Searching')
    return timeSearches(await ours.databaseUrl(), benchPartner.slug)
  }

  return {
    deals: size.deals,
    ...filled,
    searchesPerS,
    ...measureListing(site, filled),
    ...measureSending(site),
    ...measureBrowsing(site, filled),
  }
}
