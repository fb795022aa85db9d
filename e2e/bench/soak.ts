import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '#db/client.ts'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { writeDealFile } from './deal-file.ts'
import { startReceiver } from './deliveries.ts'
import { percentile95, send } from './drive.ts'
import { type FilledSystem, benchPartner, makeFilledSystem } from './filled-system.ts'
import type { Ours } from './ours.ts'
import { searches } from './portal-calls.ts'
import { memberCookie } from './portal.ts'

allowClosedOutput()

// npm run soak -- --minutes 10: lists, searches, imports with events, deliveries and exports at once, and the
// resulting growth.

const importedDeals = 500
const importEveryMs = 5000
const exportEveryMs = 15_000
/** The pause of people between two searches, and of systems between two pages. */
const searchPauseMs = 100
const listPauseMs = 20
const searchP95MaxMs = 150
const collectionMs = 2000

/** The work of a soak. */
interface Load {
  ours: Ours
  filled: FilledSystem
  /** The `Cookie` header of a signed-in user. */
  cookie: string
  counts: { lists: number; imports: number; exports: number; errors: string[] }
  /** The duration of each search, in ms. */
  searchMs: number[]
}

const say = (text: string) => void process.stderr.write(`${text} …\n`)

async function soak(stack: AsyncDisposableStack, minutes: number, deals: number): Promise<boolean> {
  const pace = { warmUpS: 0, roundS: 0, rounds: 0 }
  const filled = makeFilledSystem({ stack, say, size: { deals, partyDeals: 0, attackS: 0, drains: 0, pace } })
  const ours = await filled.loaded()
  await ours.restart({ NODE_OPTIONS: `--import=${join(import.meta.dirname, 'collect-garbage.ts')}` })
  const db = openDatabase(await ours.databaseUrl(), 2)
  stack.defer(() => db.$client.end({ timeout: 5 }))
  const receiver = await startReceiver(stack)
  const load: Load = {
    ours,
    filled,
    cookie: await memberCookie(ours),
    counts: { lists: 0, imports: 0, exports: 0, errors: [] },
    searchMs: [],
  }
  await fetch(`${ours.url}/api/webhook`, {
    method: 'POST',
    headers: { ...filled.request('').headers, 'content-type': 'application/json' },
    body: JSON.stringify({ createURL: receiver.answering, updateURL: receiver.answering }),
  })
  const sample = async () => {
    const [{ deadRows }] = await db.$client<[{ deadRows: number }]>`
      select sum(n_dead_tup)::float8 as "deadRows" from pg_stat_user_tables`
    ours.signal('SIGUSR2')
    await sleep(collectionMs)
    return { memoryMb: await ours.residentMb(), deadRows }
  }
  say(`Soaking for ${minutes} minutes`)
  // The first third is warm-up: caches fill, and the first rows die.
  await putLoad(load, minutes / 3)
  const before = await sample()
  await putLoad(load, (minutes * 2) / 3)
  const after = await sample()
  const perMinute = (name: keyof typeof after) => (after[name] - before[name]) / ((minutes * 2) / 3)
  const searchP95Ms = percentile95(load.searchMs)
  const { errors, ...counts } = load.counts
  const rows: [string, string | number][] = [
    ...Object.entries(counts),
    ['searches', load.searchMs.length],
    ['receipts', (await receiver.received()).messages],
    ['errors', errors.length],
    ['search, 95th percentile (< 150)', `${searchP95Ms.toFixed(0)} ms`],
    ['memory after a collection', `${after.memoryMb.toFixed(0)} MB`],
    ['slope of memory', `${perMinute('memoryMb').toFixed(1)} MB a minute`],
    ['dead rows at the end', after.deadRows],
    ['slope of dead rows', `${perMinute('deadRows').toFixed(0)} a minute`],
  ]
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(34)} ${value}\n`)
  for (const text of new Set(errors)) process.stdout.write(`  ${text}\n`)
  return errors.length === 0 && searchP95Ms < searchP95MaxMs
}

/** Runs lists, searches, imports with events and exports for some minutes. */
async function putLoad(load: Load, minutes: number): Promise<void> {
  const until = performance.now() + minutes * 60_000
  const repeat = async (pauseMs: number, work: (round: number) => Promise<unknown>) => {
    for (let round = 0; performance.now() < until; round++) {
      await work(round).catch((error: unknown) => load.counts.errors.push(String(error).slice(0, 200)))
      await sleep(pauseMs)
    }
  }
  await Promise.all([
    ...[1, 2, 3, 4].map((client) => repeat(listPauseMs, (round) => list(load, round * 7 + client))),
    ...[1, 2, 3, 4].map((client) => repeat(searchPauseMs, (round) => search(load, round + 3 * client))),
    repeat(importEveryMs, () => importChanges(load)),
    repeat(exportEveryMs, () => exportAll(load)),
  ])
}

async function list({ filled, counts }: Load, round: number): Promise<void> {
  await (await send(filled.listPage((round % 50) + 1))).arrayBuffer()
  counts.lists++
}

async function search({ ours, cookie, searchMs }: Load, round: number): Promise<void> {
  const input = {
    filter: { search: searches[round % searches.length]! },
    sort: { field: 'lastModified', direction: 'desc' },
    fields: ['dealname', 'stage', 'amount'],
    limit: 50,
  }
  const url = `${ours.url}/api/trpc/deals.find?input=${encodeURIComponent(JSON.stringify({ json: input }))}`
  const began = performance.now()
  await (await send({ url, headers: { cookie }, status: 200 })).arrayBuffer()
  searchMs.push(performance.now() - began)
}

/** Imports changed deals with the operator command, in another process. */
async function importChanges({ ours, counts }: Load): Promise<void> {
  const file = { path: `${ours.directory}/changes.ndjson`, deals: importedDeals }
  const notes = `Import ${++counts.imports}`
  await writeDealFile(file, benchPartner, 20_000_000_000n, { notes })
  await ours.importFile(file, benchPartner.slug, 'updated')
}

async function exportAll({ ours, cookie, counts }: Load): Promise<void> {
  const answer = await send({ url: `${ours.url}/deals/export`, headers: { cookie }, status: 200 })
  if ((await answer.arrayBuffer()).byteLength === 0) throw new Error('An export is empty')
  counts.exports++
}

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, deals: { type: 'string', default: '100000' } },
})
await using stack = new AsyncDisposableStack()
const isGood = await soak(stack, Number(values.minutes), Number(values.deals.replaceAll(/[,_]/g, '')))
process.exitCode = isGood ? 0 : 1
