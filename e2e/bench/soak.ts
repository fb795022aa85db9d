import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { startReceiver } from '../receiver.ts'
import { percentile95, send } from './drive.ts'
import { preloaded } from './ours.ts'
import { searches } from './portal-calls.ts'
import { memberCookie } from './portal.ts'
import { makeFilled } from './site.ts'

allowClosedOutput()

// npm run soak -- --minutes 10: runs lists, searches, imports, deliveries and exports at the same time.
// Prints how fast memory and dead rows grow. Fails if there is an error or searches are slow.

const searchP95MaxMs = 150
const collectionMs = 2000

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, deals: { type: 'string', default: '100000' } },
})
const minutes = Number(values.minutes)
const say = (text: string) => void process.stderr.write(`${text} …\n`)

await using stack = new AsyncDisposableStack()
const ours = await makeFilled({ stack, say }, Number(values.deals), 0).loaded()
const receiver = await startReceiver()
stack.defer(() => receiver.close())
await ours.party.setEndpoints(receiver.url)
await ours.restart(preloaded)
const cookie = await memberCookie(ours)

const counts = { lists: 0, searches: 0, imports: 0, exports: 0 }
const errors: string[] = []
const searchMs: number[] = []

const asMember = (path: string) => send({ url: `${ours.url}${path}`, headers: { cookie }, status: 200 })

const work = {
  async lists(round: number) {
    await (await send(ours.listPage((round % 50) + 1))).arrayBuffer()
  },
  async searches(round: number) {
    const filter = { search: searches[round % searches.length]! }
    const sort = { field: 'lastModified', direction: 'desc' }
    const input = { json: { filter, sort, fields: ['dealname', 'stage', 'amount'], limit: 50 } }
    const began = performance.now()
    const found = await asMember(`/api/trpc/deals.find?input=${encodeURIComponent(JSON.stringify(input))}`)
    await found.arrayBuffer()
    searchMs.push(performance.now() - began)
  },
  async imports() {
    for (const kept of [receiver.requests, receiver.accepted]) kept.length = 0
    await ours.party.change(500)
  },
  async exports() {
    const file = await (await asMember('/deals/export')).arrayBuffer()
    if (file.byteLength === 0) throw new Error('An export is empty')
  },
}

/** Runs all kinds of work for some minutes. Users and systems pause between requests. */
async function putLoad(forMinutes: number): Promise<void> {
  const until = performance.now() + forMinutes * 60_000
  const repeat = async (kind: keyof typeof work, pauseMs: number, first = 0) => {
    for (let round = first; performance.now() < until; round++) {
      await work[kind](round).then(
        () => counts[kind]++,
        (error: unknown) => errors.push(String(error).slice(0, 200)),
      )
      await sleep(pauseMs)
    }
  }
  await Promise.all([
    ...[0, 12, 24, 36].flatMap((first) => [
      repeat('lists', 20, first),
      repeat('searches', 100, first + first / 12),
    ]),
    repeat('imports', 5000),
    repeat('exports', 15_000),
  ])
}

/** Returns the memory in use after a garbage collection, and the number of dead rows. */
async function sample() {
  const [{ deadRows }] = await ours.db().$client<[{ deadRows: number }]>`
    select sum(n_dead_tup)::float8 as "deadRows" from pg_stat_user_tables`
  ours.signal('SIGUSR2')
  await sleep(collectionMs)
  return { memoryMb: await ours.residentMb(), deadRows }
}

say(`Soaking for ${minutes} minutes`)
// Warm-up: in the first third, caches fill and the first rows die.
await putLoad(minutes / 3)
const before = await sample()
await putLoad((minutes * 2) / 3)
const after = await sample()
const perMinute = (name: keyof typeof after) => (after[name] - before[name]) / ((minutes * 2) / 3)
const searchP95Ms = percentile95(searchMs)
const rows: [string, string | number][] = [
  ...Object.entries(counts),
  ['events received', receiver.ids.size],
  ['errors', errors.length],
  [`search, 95th percentile (< ${searchP95MaxMs})`, `${searchP95Ms.toFixed(0)} ms`],
  ['memory after a collection', `${after.memoryMb.toFixed(0)} MB`],
  ['slope of memory', `${perMinute('memoryMb').toFixed(1)} MB a minute`],
  ['dead rows at the end', after.deadRows],
  ['slope of dead rows', `${perMinute('deadRows').toFixed(0)} a minute`],
]
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(34)} ${value}\n`)
for (const text of new Set(errors)) process.stdout.write(`  ${text}\n`)
process.exitCode = errors.length === 0 && searchP95Ms < searchP95MaxMs ? 0 : 1
