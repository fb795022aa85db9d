import { type BigFileFigures, measureBigFile } from './big-file.ts'
import { type BrowsingFigures, measureBrowsing } from './browsing.ts'
import { type FilledSystem, benchPartner, makeFilledSystem, otherPartner } from './filled-system.ts'
import { type FollowingFigures, measureFollowing } from './following.ts'
import { type ListingFigures, measureListing } from './listing.ts'
import { type NeighbourFigures, measureNeighbours } from './neighbours.ts'
import { notificationCalls, scorecardCalls, similarCalls, weekCalls } from './page-calls.ts'
import { settle } from './peer.ts'
import { dealCalls, timePortalCalls } from './portal-calls.ts'
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
  /** The 95th percentile of the slowest of these calls of the portal, in ms. */
  portalCallMs(part: PortalPart): Promise<number>
}

/** What the portal calls cover: finding, counting and summing deals, or one page. */
type PortalPart = 'deals' | 'similar' | 'scorecard' | 'week' | 'notifications'

export function makeWorld(site: Site): World {
  const { size, say } = site
  const filled = makeFilledSystem(site)

  async function searchesPerS(): Promise<number> {
    const ours = await filled.loaded()
    say('Searching')
    return timeSearches(await ours.databaseUrl(), benchPartner.slug)
  }

  async function portalCallMs(part: PortalPart): Promise<number> {
    const url = await (await filled.loaded()).databaseUrl()
    if (part === 'week') {
      await filled.eventfulImport()
      await settle(url)
    }
    say(`Timing the calls of the portal: ${part}`)
    const makeCalls = {
      deals: dealCalls,
      similar: similarCalls,
      scorecard: scorecardCalls,
      week: weekCalls,
      notifications: notificationCalls,
    }[part]
    return timePortalCalls(url, (db) => makeCalls(db, benchPartner.slug, otherPartner.slug), say)
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
