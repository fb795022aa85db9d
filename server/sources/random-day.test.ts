import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { connectStandIn } from '#e2e/crm/connected.ts'
import { type Fault, StandIn } from '#e2e/crm/stand-in.ts'
import { insertPartner } from '../accounts/store.ts'
import { parseDeal } from '../deals/render.ts'

// To run at full size, a day with a poll every minute: CRM_STEPS=1440 CRM_SEED=7 vitest run --config
// e2e/vitest.config.ts server/sources/random-day
const steps = Number(process.env['CRM_STEPS'] ?? 12)
const seed = Number(process.env['CRM_SEED'] ?? 1)

let database: TestDatabase
const crm = new StandIn({ limits: { burst: 1e9, searches: 1e9, daily: 1e9 }, firstId: 900_000_000 })
beforeAll(async () => {
  database = await createTestDatabase()
  await crm.listen()
})
afterAll(async () => {
  await crm.close()
  await database.drop()
})

/** Returns a generator of numbers from 0 to below 1, reproducible by seed (mulberry32). */
function makeRandom(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const random = makeRandom(seed)
const below = (count: number) => Math.floor(random() * count)
const pick = <T>(all: readonly T[]): T => all[below(all.length)]!

const stages = ['appointmentscheduled', '1001', '1002', 'closedwon', 'closedlost']
const alive = () => [...crm.deals.values()].filter(({ archived }) => !archived).map(({ id }) => id)

/**
 * Makes a change in the CRM as people, scripts, and merges do. The search index never reports some of these
 * changes.
 */
function changeSomething(): void {
  const ids = alive()
  const kind = random()
  if (ids.length < 20 || kind < 0.2)
    crm.create({ dealname: `Deal ${below(1e6)}`, partner: pick(['acme', 'bolt', 'nobody', '']), amount: '1' })
  else if (kind < 0.25) crm.archive(pick(ids))
  else if (kind < 0.28) {
    const [from, into] = [pick(ids), pick(ids)]
    if (from !== into) crm.merge(from, into)
  } else if (kind < 0.33) {
    const id = pick(ids)
    // A change that does not update the modification time.
    crm.change(id, { city: `City ${below(1000)}` }, crm.deals.get(id)!.modifiedMs)
  } else if (kind < 0.36) {
    const at = Date.now()
    for (const id of ids.slice(0, 30)) crm.change(id, { state: pick(['AZ', 'CA']) }, at)
  } else
    crm.change(pick(ids), {
      dealstage: pick(stages),
      amount: pick(['5', '6.50', 'a lot', '']),
      partner: pick(['acme', 'bolt', 'nobody']),
    })
}

const faults: ReturnType<Fault>[] = [
  { status: 502 },
  { status: 503 },
  { status: 429, headers: { 'retry-after': '0' }, body: '{"policyName":"SECONDLY"}' },
  { status: 401 },
  'cut',
]

const wanted = () =>
  new Map(
    alive().map((id) => {
      const { properties } = crm.deals.get(id)!
      return [
        id,
        {
          dealname: properties['dealname'],
          city: properties['city'] ?? null,
          stageId: properties['dealstage'],
        },
      ]
    }),
  )

test('after a day of random changes and faults, the deals equal the CRM, as the comparison confirms', async () => {
  const { $client: sql } = database.db
  const acme = (await insertPartner(database.db, 'acme', 'Acme'))!
  const bolt = (await insertPartner(database.db, 'bolt', 'Bolt'))!
  const source = await connectStandIn(database.db, crm)
  await source.assign('acme', acme)
  await source.assign('bolt', bolt)
  let faulted = 0
  for (let step = 0; step < steps; step++) {
    for (let change = below(8); change >= 0; change--) changeSomething()
    const isStorm = random() < 0.15
    const rate = isStorm ? 0.8 : 0.05
    crm.lagMs = random() < 0.3 ? below(200) : 0
    crm.fault = () => {
      if (random() >= rate) return undefined
      faulted++
      return pick(faults)
    }
    await (random() < 0.05 ? source.compare() : source.read())
  }
  crm.fault = () => undefined
  crm.lagMs = 0
  for (const deal of crm.deals.values()) deal.indexedAt = 0
  await source.read()
  let compared = await source.compare()
  if (compared.removalsWaiting > 0) {
    await source.approve(compared.removalsWaiting)
    compared = await source.read()
  }
  compared = await source.compare()
  expect(compared).toMatchObject({ problem: null, differing: 0, removalsWaiting: 0, comparingAfter: null })
  const rejected = new Set(
    (await sql<{ id: string }[]>`select record_id as id from source_rejects`).map(({ id }) => id),
  )
  const expected = wanted()
  const rows = await sql<{ id: string; json: string; slug: string | null }[]>`
    select deals.id::text as id, json, slug from deals left join partners on partners.id = partner_id`
  const stored = new Map(rows.map((row) => [row.id, row]))
  // An invalid record keeps its last valid version or has not been stored yet.
  for (const id of expected.keys()) if (!rejected.has(id)) expect(stored.has(id)).toBe(true)
  for (const [id, { json, slug }] of stored) {
    expect(expected.has(id)).toBe(true)
    if (rejected.has(id)) continue
    expect(parseDeal(json)).toMatchObject(expected.get(id)!)
    const partner = crm.deals.get(id)!.properties['partner'] ?? ''
    expect(slug).toBe(['acme', 'bolt'].includes(partner) ? partner : null)
  }
  expect(faulted).toBeGreaterThan(0)
}, 3_600_000)
