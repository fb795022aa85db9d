import { parseArgs } from 'node:util'
import { openDatabase } from '#db/client.ts'
import { findPartner } from '#server/accounts/store.ts'
import { allowClosedOutput } from '#server/runtime/process.ts'
import { signedInUser } from '../portal-user.ts'
import { benchPartner, makeFilledSystem } from './filled-system.ts'
import type { Site } from './site.ts'
import { type SoakCounts, noCounts, putLoad, startCounter } from './soak-load.ts'

allowClosedOutput()

// npm run soak -- --minutes 10: lists, searches, imports with events, deliveries and exports at once, and the
// resulting growth.

/** A sample taken every few seconds. */
interface Sample {
  minute: number
  residentMb: number
  deadRows: number
}

const sampleEveryMs = 3000
const searchP95MaxMs = 150

const say = (text: string) => void process.stderr.write(`${text} …\n`)

/** Returns the slope per minute of the line that fits the samples best (least squares). */
function slopeOf(samples: readonly Sample[], value: (sample: Sample) => number): number {
  const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length
  const [x, y] = [mean(samples.map(({ minute }) => minute)), mean(samples.map(value))]
  const along = samples.reduce((sum, each) => sum + (each.minute - x) * (value(each) - y), 0)
  return along / samples.reduce((sum, each) => sum + (each.minute - x) ** 2, 0)
}

async function soak(stack: AsyncDisposableStack, minutes: number, deals: number): Promise<boolean> {
  const site: Site = {
    stack,
    say,
    size: {
      deals,
      partyDeals: 0,
      sourceDeals: 0,
      attackS: 0,
      drains: 0,
      pace: { warmUpS: 0, roundS: 0, rounds: 0 },
    },
  }
  const filled = makeFilledSystem(site)
  const ours = await filled.loaded()
  const db = openDatabase(await ours.databaseUrl(), 2)
  stack.defer(() => db.$client.end({ timeout: 5 }))
  const counts = noCounts()
  const { id } = (await findPartner(db, benchPartner.slug))!
  const cookie = await signedInUser({ db }, 'admin', id)
  const receiver = await startCounter(stack, counts)
  await fetch(`${ours.url}/api/webhook`, {
    method: 'POST',
    headers: { ...filled.request('').headers, 'content-type': 'application/json' },
    body: JSON.stringify({ createURL: receiver, updateURL: receiver }),
  })
  say(`Soaking for ${minutes} minutes`)
  const samples: Sample[] = []
  const began = performance.now()
  const sample = async () => {
    const [row] = await db.$client<[{ dead: number }]>`
      select sum(n_dead_tup)::float8 as dead from pg_stat_user_tables`
    samples.push({
      minute: (performance.now() - began) / 60_000,
      residentMb: await ours.residentMb(),
      deadRows: row.dead,
    })
  }
  const sampling = setInterval(() => void sample().catch(() => {}), sampleEveryMs)
  await putLoad({ ours, filled, cookie, counts }, minutes)
  clearInterval(sampling)
  return report(counts, samples)
}

/** Prints the results. Returns true if there were no errors and searches were fast. */
function report(counts: SoakCounts, samples: Sample[]): boolean {
  // The first third is warm-up: caches fill, and the first rows die.
  const settled = samples.slice(Math.floor(samples.length / 3))
  const searchP95Ms = counts.searchMs.toSorted((a, b) => a - b)[Math.floor(counts.searchMs.length * 0.95)]!
  const errors = [...counts.errors.values()].reduce((sum, each) => sum + each, 0)
  const [last] = samples.slice(-1)
  const figures: [string, string | number][] = [
    ['lists', counts.lists],
    ['searches', counts.searches],
    ['imports', counts.imports],
    ['exports', counts.exports],
    ['webhooks received', counts.receipts],
    ['errors', errors],
    ['search, 95th percentile (< 150)', `${searchP95Ms.toFixed(0)} ms`],
    ['memory at the end', `${last?.residentMb.toFixed(0)} MB`],
    ['slope of memory', `${slopeOf(settled, ({ residentMb }) => residentMb).toFixed(1)} MB a minute`],
    ['dead rows at the end', last?.deadRows ?? 0],
    ['slope of dead rows', `${slopeOf(settled, ({ deadRows }) => deadRows).toFixed(0)} a minute`],
  ]
  for (const [name, value] of figures) process.stdout.write(`${name.padEnd(34)} ${value}\n`)
  for (const [text, count] of counts.errors) process.stdout.write(`  ${count} × ${text}\n`)
  return errors === 0 && searchP95Ms < searchP95MaxMs
}

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, deals: { type: 'string', default: '100000' } },
})
await using stack = new AsyncDisposableStack()
const isGood = await soak(stack, Number(values.minutes), Number(values.deals.replaceAll(/[,_]/g, '')))
process.exitCode = isGood ? 0 : 1
