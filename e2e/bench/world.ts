import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { freePort } from '#e2e/system.ts'
import { pageSize, writeDealFile } from './deal-file.ts'
import {
  type Drains,
  type OldRowsRatios,
  compareDrains,
  compareImports,
  compareOldRows,
  makeSender,
} from './deliveries.ts'
import { type Comparison, type Pace, type Target, compare } from './drive.ts'
import { lowestScore } from './lighthouse.ts'
import { type ImportRun, type Ours, makeOurs } from './ours.ts'
import { makeParty } from './party.ts'
import { settle, startPeer } from './peer.ts'
import { type Export, type Feel, makeVisitor, measureExport, measureFeel, openBrowser } from './portal.ts'
import { startReceiver } from './receipts.ts'
import { timeSearches } from './searches.ts'

/** What the figures are taken from. Each part is made when a figure first asks for it, and once. */
export interface World {
  deals: number
  pace: Pace
  /** The database of the first system, which is running then. */
  databaseUrl(): Promise<string>
  /** The system with all deals in it. */
  loaded(): Promise<Ours>
  /** A request of the loaded system, with a token. */
  request(path: string): Target
  /** The request of a page of the list, as long as pages may be. */
  listPage(page: number): Target
  /** The deals' first import, into an empty system, without events. */
  firstImport(): Promise<ImportRun>
  /** The same file a second time. */
  unchangedImport(): Promise<ImportRun>
  /** Further new deals, of another partner, with events. */
  eventfulImport(): Promise<ImportRun>
  /** Our list beside the peer's. */
  listBesidePeer(): Promise<Comparison>
  /** How many times as long an import of changed deals takes when their events are sent, or with no worker only recorded. */
  importsWithEvents(worker: 'on' | 'off'): Promise<number>
  /** How fast events are sent. */
  drains(): Promise<Drains>
  /** What a million old events make of things. */
  oldRows(): Promise<OldRowsRatios>
  /** How many searches of the portal the loaded system answers a second. */
  searchesPerS(): Promise<number>
  /** What the page of deals feels like in a browser. */
  feel(): Promise<Feel>
  /** What a file of all deals takes. */
  exported(): Promise<Export>
  /** The lowest score that Lighthouse gives sign-in, deals and a deal. */
  lighthouse(): Promise<number>
}

/** The page of the list that is driven. */
export const drivenPage = 4

const partner = { slug: 'bench', name: 'Bench Solar' }
const otherPartner = { slug: 'other', name: 'Other Solar' }
const eventfulMax = 100_000
const oldRowCount = 1_000_000

/** How large a world is, and how thoroughly it is measured. */
export interface WorldSize {
  deals: number
  /** Deals of each partner whose events are sent. */
  partyDeals: number
  pace: Pace
  drains: number
}

/** Makes a world; `stack` ends and removes what is made for it, `say` tells how far it is. */
export function makeWorld(
  stack: AsyncDisposableStack,
  { deals, partyDeals, pace, drains: drainCount }: WorldSize,
  say: (text: string) => void,
): World {
  let url = ''
  let token = ''
  const request = (path: string): Target => ({
    url: `${url}${path}`,
    headers: { Authorization: `Bearer ${token}` },
    status: 200,
  })
  const listPage = (page: number) => request(`/api/deals?page=${page}&size=${pageSize}`)

  const empty = once(async () => {
    say('Starting the system on an empty directory')
    const ours = await makeOurs(stack)
    await ours.start()
    url = ours.url
    for (const { slug, name } of [partner, otherPartner])
      await ours.operator('partner', 'create', slug, '--name', name)
    token = await ours.operator('token', 'create', '--partner', partner.slug, '--name', 'Benchmark')
    return ours
  })

  const file = once(async () => {
    const { directory } = await empty()
    say(`Writing a file of ${deals.toLocaleString('en')} deals`)
    return writeDealFile({ path: join(directory, 'deals.ndjson'), deals }, partner, 20_000_000_000n)
  })

  const firstImport = once(async () => {
    const ours = await empty()
    const written = await file()
    say('Importing it')
    return ours.importFile(written, partner.slug, 'created', '--no-events')
  })

  const loaded = once(async () => {
    await firstImport()
    const ours = await empty()
    await settle(await ours.databaseUrl())
    return ours
  })

  const unchangedImport = once(async () => {
    const ours = await loaded()
    say('Importing it again')
    return ours.importFile(await file(), partner.slug, 'unchanged')
  })

  const eventfulImport = once(async () => {
    const ours = await empty()
    const count = Math.min(deals, eventfulMax)
    say(`Importing ${count.toLocaleString('en')} other deals with events`)
    const written = await writeDealFile(
      { path: join(ours.directory, 'other.ndjson'), deals: count },
      otherPartner,
      30_000_000_000n,
    )
    return ours.importFile(written, otherPartner.slug, 'created')
  })

  const listBesidePeer = once(async () => {
    const ours = await loaded()
    say('Loading the peer')
    const peer = await startPeer(stack, await ours.databaseUrl(), (await file()).path, token)
    const our = listPage(drivenPage)
    const theirs = { ...our, url: our.url.replace(url, peer.url) }
    const [ourPage, theirPage] = await Promise.all([readJson(our), readJson(theirs)])
    if (!isDeepStrictEqual(ourPage, theirPage))
      throw new Error('The peer answers with another page than ours')
    say('Driving the list of both in turn')
    const comparison = await compare(our, theirs, pace)
    await peer.stop()
    return comparison
  })

  async function searchesPerS(): Promise<number> {
    const ours = await loaded()
    say('Searching')
    return timeSearches(await ours.databaseUrl(), partner.slug)
  }

  const databaseUrl = async () => (await empty()).databaseUrl()

  const receiver = once(() => startReceiver(stack))

  const sender = once(async () => {
    say('Starting another system, which sends events')
    return makeSender(stack, await receiver(), partyDeals)
  })

  const quiet = once(async () => makeParty((await sender()).ours, 'quiet', partyDeals, 30_000_000_000n))
  const dead = once(async () => makeParty((await sender()).ours, 'dead', partyDeals, 40_000_000_000n))

  async function importsWithEvents(worker: 'on' | 'off'): Promise<number> {
    const [from, beside] = [await sender(), await quiet()]
    say(`Importing with and without addresses in turn, the worker ${worker}`)
    return compareImports(from, beside, worker)
  }

  const drains = once(async () => {
    const [from, beside] = [await sender(), await dead()]
    say('Sending events alone and beside a receiver that never answers in turn')
    return compareDrains(from, beside, drainCount)
  })

  const oldRows = once(async () => {
    const young = await sender()
    say(`Making a system with ${oldRowCount.toLocaleString('en')} old events`)
    const old = await makeSender(stack, await receiver(), partyDeals, oldRowCount)
    say('Importing, sending and reading the log on both in turn')
    return compareOldRows(old, young)
  })

  const browser = once(async () => {
    const ours = await loaded()
    say('Opening a browser')
    await makeVisitor(ours, partner.slug)
    const port = await freePort()
    return { ...(await openBrowser(stack, ours.url, port)), port }
  })

  const feel = once(async () => {
    const { context } = await browser()
    say('Looking for deals in the browser')
    return measureFeel(context, url)
  })

  const exported = once(async () => {
    const { context } = await browser()
    say('Making a file of all deals')
    return measureExport(context, await loaded(), deals)
  })

  const judged = once(async () => {
    const { context, port } = await browser()
    say('Asking Lighthouse')
    const [first] = ((await readJson(listPage(1))) as { deals: { id: number }[] }).deals
    const scores: number[] = []
    // Without a cookie for the first: whoever is signed in is led on from there.
    for (const [path, asWhom] of [
      ['/sign-in', await context.browser()!.newContext()],
      ['/deals', context],
      [`/deals/${first!.id}`, context],
    ] as const)
      scores.push(await lowestScore(asWhom, port, `${url}${path}`))
    return Math.min(...scores)
  })

  return {
    feel,
    exported,
    lighthouse: judged,
    searchesPerS,
    databaseUrl,
    deals,
    pace,
    request,
    listPage,
    firstImport,
    loaded,
    unchangedImport,
    eventfulImport,
    listBesidePeer,
    importsWithEvents,
    drains,
    oldRows,
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Sends a request once. */
export async function send({ url, headers, status }: Target): Promise<Response> {
  const response = await fetch(url, { headers })
  if (response.status !== status)
    throw new Error(`${url} answered ${response.status} where ${status} was expected`)
  return response
}

async function readJson(target: Target): Promise<unknown> {
  return (await send(target)).json()
}
