import { isDeepStrictEqual } from 'node:util'
import { type BrowsingFigures, measureBrowsing } from './browsing.ts'
import { type Comparison, type Pace, compare, readJson } from './drive.ts'
import { type FilledSystem, benchPartner, makeFilledSystem } from './filled-system.ts'
import { once } from './once.ts'
import { startPeer } from './peer.ts'
import { timeSearches } from './searches.ts'
import { type SendingFigures, measureSending } from './sending.ts'
import type { Site } from './site.ts'

/** What the figures are taken from. Each part is made when a figure first asks for it, and once. */
export interface World extends FilledSystem, SendingFigures, BrowsingFigures {
  deals: number
  pace: Pace
  /** Our list beside the peer's. */
  listBesidePeer(): Promise<Comparison>
  /** How many searches of the portal the loaded system answers a second. */
  searchesPerS(): Promise<number>
}

/** The page of the list that is driven. */
export const drivenPage = 4

export function makeWorld(site: Site): World {
  const { stack, size, say } = site
  const filled = makeFilledSystem(site)

  const listBesidePeer = once(async () => {
    const ours = await filled.loaded()
    say('Loading the peer')
    const peer = await startPeer(stack, await ours.databaseUrl(), (await filled.file()).path, filled.token())
    const our = filled.listPage(drivenPage)
    const theirs = { ...our, url: our.url.replace(ours.url, peer.url) }
    const [ourPage, theirPage] = await Promise.all([readJson(our), readJson(theirs)])
    if (!isDeepStrictEqual(ourPage, theirPage))
      throw new Error('The peer answers with another page than ours')
    say('Driving the list of both in turn')
    const comparison = await compare(our, theirs, size.pace)
    await peer.stop()
    return comparison
  })

  async function searchesPerS(): Promise<number> {
    const ours = await filled.loaded()
    say('Searching')
    return timeSearches(await ours.databaseUrl(), benchPartner.slug)
  }

  return {
    deals: size.deals,
    pace: size.pace,
    ...filled,
    listBesidePeer,
    searchesPerS,
    ...measureSending(site),
    ...measureBrowsing(site, filled),
  }
}
