import { beforeEach, describe, expect, test } from 'vitest'
import { type ConnectedSource, connect, crm, database, useStandIn } from '#e2e/crm/connected.ts'
import { minuteMs, hourMs } from '../values/units.ts'
import { hintSource } from './announced-store.ts'
import { announcedIn } from './hubspot-webhook.ts'
import { delayOf } from './source-state.ts'

let source: ConnectedSource

useStandIn()
beforeEach(async () => {
  source = await connect()
})

/** Receives webhooks with these events in this order. */
const announce = (...events: object[]) =>
  hintSource(database.db, source.id, announcedIn(Buffer.from(JSON.stringify(events))))

const setSource = (columns: string) => database.db.$client.unsafe(`update sources set ${columns}`)

/** Runs all hourly reads once. */
async function readAll() {
  await source.read()
  await source.read()
}

describe('a deal named by a webhook', () => {
  test('is removed by the next read if deleted, merged or erased', async () => {
    const [deleted, erased, first, second, stays] = ['A', 'B', 'C', 'D', 'E'].map((dealname) =>
      crm.create({ dealname }),
    )
    await readAll()
    crm.archive(deleted!)
    crm.deals.delete(erased!)
    // Merges two deals into a third deal.
    const merged = crm.create({ dealname: 'C and D' })
    crm.merge(first!, merged)
    crm.merge(second!, merged)
    await announce(
      { subscriptionType: 'deal.deletion', objectId: Number(deleted) },
      { subscriptionType: 'deal.privacyDeletion', objectId: erased },
      {
        subscriptionType: 'deal.merge',
        objectId: Number(first),
        primaryObjectId: Number(first),
        mergedObjectIds: [Number(second)],
        newObjectId: Number(merged),
      },
      { subscriptionType: 'deal.propertyChange', objectId: stays },
    )
    // The search index does not return the change yet.
    crm.lagMs = 60_000
    expect(await source.read()).toMatchObject({ removed: 4, removalsWaiting: 0, problem: null })
    for (const id of [deleted, erased, first, second]) expect(await source.stored(id!)).toBeUndefined()
    expect(await source.stored(merged)).toMatchObject({ dealname: 'C and D' })
    expect(await source.stored(stays!)).toBeDefined()
  })

  test('comes back if it was restored, in any order of webhooks', async () => {
    const [deal, other] = [crm.create({ dealname: 'A' }), crm.create({ dealname: 'B' })]
    await readAll()
    crm.archive(deal)
    await announce({ subscriptionType: 'deal.deletion', objectId: deal })
    await source.read()
    expect(await source.stored(deal)).toBeUndefined()
    crm.restore(deal)
    await announce(
      { subscriptionType: 'deal.restore', objectId: deal },
      { subscriptionType: 'deal.deletion', objectId: deal },
      { subscriptionType: 'deal.deletion', objectId: other },
    )
    await source.read()
    expect(await source.stored(deal)).toMatchObject({ dealname: 'A' })
    expect(await source.stored(other)).toBeDefined()
  })

  test('is looked up again a minute later, because HubSpot may still return a deleted deal', async () => {
    const deal = crm.create({ dealname: 'A' })
    await readAll()
    await announce({ subscriptionType: 'deal.deletion', objectId: deal })
    await source.read()
    expect(await source.stored(deal)).toBeDefined()
    crm.archive(deal)
    await database.db.$client`update source_announced set at = now()`
    await source.read()
    expect(await source.stored(deal)).toBeUndefined()
    await database.db.$client`update source_announced set at = now()`
    await source.read()
    expect(await database.db.$client`select deal_id from source_announced where looks <= 2`).toEqual([])
  })

  test('is read before the search index shows it, and after the source has been read again', async () => {
    const deal = crm.create({ dealname: 'A' })
    await source.read()
    crm.lagMs = 60_000
    crm.change(deal, { dealname: 'B' })
    await setSource('paused_at = now()')
    await announce({ subscriptionType: 'deal.propertyChange', objectId: deal })
    await setSource('paused_at = null')
    await source.read()
    expect(await source.stored(deal)).toMatchObject({ dealname: 'B' })
  })

  test('is removed only with approval if too many deals would be removed', async () => {
    const ids = Array.from({ length: 100 }, () => crm.create({ dealname: 'A' }))
    await readAll()
    for (const id of ids.slice(0, 11)) crm.archive(id)
    await announce(...ids.slice(0, 11).map((objectId) => ({ subscriptionType: 'deal.deletion', objectId })))
    expect(await source.read()).toMatchObject({ removed: 0, removalsWaiting: 11 })
    await source.approve(11)
    expect(await source.read()).toMatchObject({ removed: 11, removalsWaiting: 0 })
  })

  test.each([
    [207, { results: [], errors: [{ category: 'INTERNAL_ERROR', message: 'Try later' }] }, 'Try later'],
    [404, '<html>', 'HubSpot responded with 404'],
    [404, { category: 'OBJECT_NOT_FOUND', message: 'Not found' }, null],
  ])(
    'for which HubSpot returns %i %j is removed only if HubSpot does not find it',
    async (status, body, problem) => {
      const deal = crm.create({ dealname: 'A' })
      await readAll()
      await announce({ subscriptionType: 'deal.deletion', objectId: deal })
      const answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
      crm.fault = (path) => (path.endsWith('/batch/read') ? answer : undefined)
      const read = await source.read()
      expect(read.problem ?? '').toContain(problem ?? '')
      expect([read.problem === null, (await source.stored(deal)) === undefined]).toEqual(
        Array(2).fill(problem === null),
      )
    },
  )

  test('is ignored if the source does not have it', async () => {
    await source.read()
    await announce({ subscriptionType: 'deal.deletion', objectId: 5 })
    expect(await source.read()).toMatchObject({ problem: null, created: 0, removed: 0 })
  })
})

describe('without webhooks from HubSpot', () => {
  test('an archived deal is removed within the hour', async () => {
    const ids = Array.from({ length: 250 }, () => crm.create({ dealname: 'A' }))
    await readAll()
    for (const id of ids.slice(0, 240)) crm.deals.delete(id)
    for (const id of ids.slice(0, 230)) crm.deals.set(id, archivedDeal(id))
    const [last] = ids.slice(-1)
    crm.archive(last!)
    await source.read()
    expect(await source.stored(last!)).toBeDefined()
    await database.db.$client`delete from source_deals where deal_id = any(${ids.slice(0, 240)}::bigint[])`
    await setSource("archived_read_at = now() - interval '61 minutes'")
    expect(await source.read()).toMatchObject({ removed: 1, archivedAfter: null })
    expect(await source.stored(last!)).toBeUndefined()
  })

  test('a restored deal comes back within the hour', async () => {
    const deal = crm.create({ dealname: 'A' }, Date.now() - 10 * hourMs)
    await readAll()
    const pass = () => setSource("archived_read_at = now() - interval '61 minutes'")
    crm.archive(deal)
    await pass()
    expect(await source.read()).toMatchObject({ removed: 1 })
    crm.restore(deal)
    const isStored = async () => (await source.read()) && (await source.stored(deal)) !== undefined
    expect(await isStored()).toBe(false)
    await database.db.$client`update source_announced set at = now()`
    expect(await isStored()).toBe(true)
    expect(await database.db.$client`select deal_id from source_announced`).toEqual([])
  })

  test('merged deals are removed when the remaining deal is read, even at the beginning of a chain', async () => {
    const [first, second, third, survivor] = ['A', 'B', 'C', 'D'].map((dealname) => crm.create({ dealname }))
    await readAll()
    crm.merge(third!, survivor!)
    expect(await source.read()).toMatchObject({ removed: 1 })
    expect(await source.stored(third!)).toBeUndefined()
    // HubSpot creates a new deal when it merges two deals.
    const [between, last] = [crm.create({ dealname: 'A and B' }), crm.create({ dealname: 'All' })]
    crm.merge(first!, between)
    crm.merge(second!, between)
    crm.merge(between, last)
    crm.merge(survivor!, last)
    expect(await source.read()).toMatchObject({ removed: 4, problem: null })
    expect(await source.stored(last)).toMatchObject({ dealname: 'All' })
    crm.requests.length = 0
    crm.change(last, { dealname: 'Again' })
    await source.read()
    expect(crm.requests).not.toContain('/crm/v3/objects/deals')
  })
})

/** A deal that was archived long ago. */
const archivedDeal = (id: string) => ({
  id,
  properties: {},
  createdMs: 0,
  modifiedMs: 0,
  archived: true,
  archivedMs: 0,
  mergedInto: null,
  indexedAt: 0,
  indexed: null,
})

describe('a change that becomes visible late', () => {
  test('by up to fifteen minutes is found by the next read, which then claims to be less current', async () => {
    const deal = crm.create({ dealname: 'A' }, Date.now() - hourMs)
    await readAll()
    const before = (await source.read()).asOf!.getTime()
    expect(Date.now() - before).toBeGreaterThanOrEqual(2 * minuteMs)
    expect(Date.now() - before).toBeLessThan(2.5 * minuteMs)
    crm.change(deal, { dealname: 'B' }, Date.now() - 14 * minuteMs)
    const { asOf, updated } = await source.read()
    expect(updated).toBe(1)
    expect(await source.stored(deal)).toMatchObject({ dealname: 'B' })
    expect(Date.now() - asOf!.getTime()).toBeGreaterThan(13.9 * minuteMs)
    expect(Date.now() - asOf!.getTime()).toBeLessThan(15 * minuteMs)
    await database.db.$client`update source_delays set day = current_date - 6`
    expect(Date.now() - (await source.read()).asOf!.getTime()).toBeGreaterThan(13.9 * minuteMs)
    await database.db.$client`update source_delays set day = current_date - 7`
    expect(Date.now() - (await source.read()).asOf!.getTime()).toBeLessThan(3 * minuteMs)
  })

  test('by up to a day is found within the hour', async () => {
    await readAll()
    const deal = crm.create({ dealname: 'A' }, Date.now() - 23 * hourMs)
    await source.read()
    expect(await source.stored(deal)).toBeUndefined()
    await setSource("reread_at = now() - interval '61 minutes'")
    const { asOf } = await source.read()
    expect(await source.stored(deal)).toMatchObject({ dealname: 'A' })
    expect(Date.now() - asOf!.getTime()).toBeGreaterThanOrEqual(23 * hourMs)
  })

  test('costs one search, plus one request if there is such a change', async () => {
    const ids = Array.from({ length: 150 }, () => crm.create({ dealname: 'A' }, Date.now() - minuteMs))
    await readAll()
    const requestsOf = async () => {
      crm.requests.length = 0
      await source.read()
      return crm.requests.filter((path) => path.startsWith('/crm/v3/objects'))
    }
    const search = '/crm/v3/objects/deals/search'
    expect(await requestsOf()).toEqual([search, search])
    crm.change(ids[0]!, { dealname: 'B' }, Date.now() - minuteMs + 100)
    expect(await requestsOf()).toEqual([search, search, '/crm/v3/objects/deals/batch/read'])
    expect(await requestsOf()).toEqual([search, search])
  })

  test('is not measured for a record that is rejected repeatedly', async () => {
    await readAll()
    await database.db
      .$client`insert into source_deals (deal_id, source_id, modified_ms, partner_value, comparison)
      select 4711, ${await otherSource()}, 0, '', 0 on conflict do nothing`
    crm.create({ dealname: 'A' }, Date.now() - 5 * minuteMs, '4711')
    await source.read()
    crm.requests.length = 0
    await source.read()
    expect(crm.requests).not.toContain('/crm/v3/objects/deals/batch/read')
    expect(await database.db.$client`select * from source_delays`).toEqual([])
  })
})

/** Creates another source. Returns its id. */
async function otherSource(): Promise<number> {
  const [{ id }] = await database.db.$client<[{ id: number }]>`
    insert into sources (kind, name, secret, settings, poll_s, paused_at)
    values ('sql', ${`Other ${crypto.randomUUID()}`}, '', '{}', 60, now()) returning id`
  return id
}

test('the delay of a change is the time until it was found, minus pauses in reading', () => {
  const window = { fromMs: 1_000_000, toMs: 1_060_000 }
  expect(delayOf(900_000, window, 60_000)).toBe(160_000)
  // The time in which nothing was read does not count.
  expect(delayOf(900_000, { ...window, toMs: 1_000_000 + 24 * hourMs }, 60_000)).toBe(220_000)
})
