import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTRPCClient, httpLink } from '@trpc/client'
import type { Api } from '#server/api.ts'
import { transformer } from '#server/protocol/transformer.ts'
import { writeDealFile } from './deal-file.ts'
import { type FilledSystem, benchPartner } from './filled-system.ts'
import type { Ours } from './ours.ts'

/** Request counts of a soak. */
export interface SoakCounts {
  lists: number
  searches: number
  imports: number
  exports: number
  /** Webhooks accepted by the receiver. */
  receipts: number
  /** The errors, with their counts. */
  errors: Map<string, number>
  /** The duration of each search, in ms. */
  searchMs: number[]
}

/** The load of a soak. */
interface Load {
  ours: Ours
  filled: FilledSystem
  /** The `Cookie` header of a signed-in user. */
  cookie: string
  counts: SoakCounts
}

const words = ['smith', 'pho', 'garcia m', '602', '85', 'w pal', 'zzz', 'nguyen']
const importedDeals = 500
const importEveryMs = 5000
const exportEveryMs = 15_000
/** The pause of people between two searches, and of systems between two pages. */
const searchPauseMs = 100
const listPauseMs = 20

export const noCounts = (): SoakCounts => ({
  lists: 0,
  searches: 0,
  imports: 0,
  exports: 0,
  receipts: 0,
  errors: new Map(),
  searchMs: [],
})

/** Starts a server that accepts webhooks and counts them. */
export async function startCounter(stack: AsyncDisposableStack, counts: SoakCounts): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      counts.receipts++
      response.writeHead(204).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Runs lists, searches, imports with events and exports for some minutes. */
export async function putLoad(load: Load, minutes: number): Promise<void> {
  const until = performance.now() + minutes * 60_000
  const repeat = async (pauseMs: number, work: (round: number) => Promise<void>) => {
    for (let round = 0; performance.now() < until; round++) {
      await work(round).catch((error: unknown) => note(load.counts, error))
      await sleep(pauseMs)
    }
  }
  await Promise.all([
    ...[1, 2, 3, 4].map((client) => repeat(listPauseMs, (round) => list(load, round * 7 + client))),
    ...[1, 2, 3, 4].map((client) => repeat(searchPauseMs, (round) => search(load, round + 3 * client))),
    repeat(importEveryMs, (round) => importChanges(load, round)),
    repeat(exportEveryMs, () => exportAll(load)),
  ])
}

function note({ errors }: SoakCounts, error: unknown): void {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 200)
  errors.set(text, (errors.get(text) ?? 0) + 1)
}

async function list({ filled, counts }: Load, round: number): Promise<void> {
  const { url, headers } = filled.listPage((round % 50) + 1)
  const answer = await fetch(url, { headers })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`a list is answered ${answer.status}`)
  counts.lists++
}

async function search({ ours, cookie, counts }: Load, round: number): Promise<void> {
  const client = createTRPCClient<Api>({
    links: [httpLink({ url: `${ours.url}/api/trpc`, transformer, headers: { cookie } })],
  })
  const began = performance.now()
  await client.deals.find.query({
    filter: { search: words[round % words.length]! },
    sort: { field: 'lastModified', direction: 'desc' },
    fields: ['dealname', 'stage', 'amount'],
    limit: 50,
  })
  counts.searchMs.push(performance.now() - began)
  counts.searches++
}

/** Imports changed deals with the operator command, in another process. */
async function importChanges({ ours, filled, counts }: Load, round: number): Promise<void> {
  await filled.file()
  const file = await writeDealFile(
    { path: `${ours.directory}/changes.ndjson`, deals: importedDeals },
    benchPartner,
    20_000_000_000n,
    { notes: `Round ${round}` },
  )
  await ours.importFile(file, benchPartner.slug, 'updated')
  counts.imports++
}

async function exportAll({ ours, cookie, counts }: Load): Promise<void> {
  const answer = await fetch(`${ours.url}/deals/export`, { headers: { cookie } })
  const bytes = (await answer.arrayBuffer()).byteLength
  if (answer.status !== 200 || bytes === 0) throw new Error(`an export is answered ${answer.status}`)
  counts.exports++
}
