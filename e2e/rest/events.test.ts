import { and, eq, lte } from 'drizzle-orm'
import { events } from '#db/schema/deals.ts'
import { deleteDeal } from '#server/deals/removal-store.ts'
import { ask, expectError, expectInvalid } from './client.ts'
import { bringIn, newDeals, newIds } from './deals.ts'
import { dealKeys } from './interface.ts'
import { expect, test } from './rest-test.ts'

const digits = 'must be a whole number in plain decimal digits'

test('lists changes in order, with the deal byte for byte as it was returned then', async ({ system }) => {
  const [id] = newIds(1)
  const partner = await system.makePartner({ deals: [{ id: id!, stage: 'Sold', amount: 1 }] })
  const created = (await ask(system, `GET /api/deals/${id}`, { token: partner.token })).text
  await bringIn(system, partner, [
    { id: id!, stage: 'Permit', amount: 2.5, hasHoa: true, owner: { id: 9007199254740993n } as never },
  ])
  const updated = (await ask(system, `GET /api/deals/${id}`, { token: partner.token })).text
  const { text, json } = await ask(system, 'GET /api/events', { token: partner.token })
  const [first, second] = json.events
  for (const event of [first, second]) {
    expect(Object.keys(event)).toEqual(['type', 'timestamp', 'sequence', 'id', 'dealId', 'data', 'changes'])
    expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  }
  const person =
    '{"id":9007199254740993,"userId":null,"email":null,"firstName":null,"lastName":null,"teams":null,"crmTeamId":null,"createdAt":null,"updatedAt":null}'
  expect(text).toBe(
    `{"events":[` +
      `{"type":"deal.created","timestamp":"${first.timestamp}","sequence":1,"id":"1","dealId":"${id}","data":${created},"changes":[]},` +
      `{"type":"deal.updated","timestamp":"${second.timestamp}","sequence":2,"id":"2","dealId":"${id}","data":${updated},"changes":[{"field":"owner","from":null,"to":${person}},` +
      `{"field":"stage","from":"Sold","to":"Permit"},{"field":"amount","from":1,"to":2.5},{"field":"hasHoa","from":false,"to":true}]}],"last":2,"next":2}`,
  )
})

test('there is no event if nothing changed, or only lastModified and timeInCurrentStage', async ({
  system,
}) => {
  const [id] = newIds(1)
  const partner = await system.makePartner({
    deals: [{ id: id!, stage: 'Sold', lastModified: '2026-01-01T00:00:00.000Z' }],
  })
  await bringIn(system, partner, [{ id: id!, stage: 'Sold' }])
  await bringIn(system, partner, [
    { id: id!, lastModified: '2026-02-01T00:00:00.000Z', timeInCurrentStage: '2026-02-01T00:00:00.000Z' },
  ])
  expect((await ask(system, 'GET /api/events', { token: partner.token })).json.last).toBe(1)
  expect((await ask(system, `GET /api/deals/${id}`, { token: partner.token })).json.lastModified).toBe(
    '2026-02-01T00:00:00.000Z',
  )
  await bringIn(system, partner, [{ id: id!, lastModified: '2026-03-01T00:00:00.000Z', stage: 'Permit' }])
  const { json } = await ask(system, 'GET /api/events?after=1', { token: partner.token })
  expect(json.events[0].changes.map(({ field }: { field: string }) => field)).toEqual([
    'stage',
    'lastModified',
  ])
})

test('a moved deal is deal.created for its new partner and deal.removed for the old partner', async ({
  system,
}) => {
  const [id] = newIds(1)
  const a = await system.makePartner({ deals: [{ id: id! }] })
  const b = await system.makePartner()
  await bringIn(system, b, [{ id: id!, stage: 'Permit' }])
  const { json } = await ask(system, 'GET /api/events', { token: b.token })
  expect(
    json.events.map(({ type, sequence, data, changes }: any) => [
      type,
      sequence,
      BigInt(data.id),
      data.stage,
      changes,
    ]),
  ).toEqual([['deal.created', 1, id, 'Permit', []]])
  const { text } = await ask(system, 'GET /api/events?after=1', { token: a.token })
  const nothing = dealKeys.slice(1).map((key) => `"${key}":null`)
  expect(text.replace(/"timestamp":"[^"]*"/, '"timestamp":""')).toBe(
    `{"events":[{"type":"deal.removed","timestamp":"","sequence":2,"id":"2","dealId":"${id}",` +
      `"data":{"id":${id},${nothing.join()}},"changes":[]}],"last":2,"next":2}`,
  )
})

test('a copy that applies all events contains exactly the deals of the list', async ({ system }) => {
  const deals = newDeals(12)
  const partners = [await system.makePartner({ deals }), await system.makePartner()]
  let seed = 7
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let step = 0; step < 60; step++) {
    const deal = deals[random(deals.length)]!
    if (random(5) === 0) await deleteDeal(system.db, deal.id)
    else await bringIn(system, [...partners, null][random(3)]!, [{ ...deal, notes: String(step) }])
  }
  for (const { token } of partners) {
    const copy = new Map<string, string>()
    for (let after = 0; ;) {
      const { json } = await ask(system, `GET /api/events?after=${after}&limit=7`, { token })
      for (const { type, dealId, data } of json.events)
        if (type === 'deal.removed') copy.delete(dealId)
        else copy.set(dealId, JSON.stringify(data))
      after = json.next
      if (after === json.last) break
    }
    const { json } = await ask(system, 'GET /api/deals?size=25', { token })
    expect([...copy.values()].toSorted()).toEqual(
      json.deals.map((deal: object) => JSON.stringify(deal)).toSorted(),
    )
  }
})

test('a negative `after` gives the newest events', async ({ system }) => {
  const partner = await system.makePartner({ deals: newDeals(30) })
  const read = async (query: string) => {
    const { json } = await ask(system, `GET /api/events?${query}`, { token: partner.token })
    return [json.events.map(({ sequence }: { sequence: number }) => sequence), json.last, json.next]
  }
  expect(await read('after=-3')).toEqual([[28, 29, 30], 30, 30])
  expect(await read('after=-3&limit=2')).toEqual([[28, 29], 30, 29])
  expect((await read('after=-100&limit=100'))[0]).toHaveLength(30)
  await system.db.delete(events).where(and(eq(events.partnerId, partner.id), lte(events.sequence, 28)))
  expect(await read('after=-100&limit=1')).toEqual([[29], 30, 29])
  await system.db.delete(events).where(eq(events.partnerId, partner.id))
  expect(await read('after=-1')).toEqual([[], 30, 30])
  const { token } = await system.makePartner()
  expect((await ask(system, 'GET /api/events?after=-1', { token })).text).toBe(
    '{"events":[],"last":0,"next":0}',
  )
  expectInvalid(await ask(system, 'GET /api/events?after=-101', { token }), 'after: must be at least -100')
  for (const form of ['-0', '--1'])
    expectInvalid(await ask(system, `GET /api/events?after=${form}`, { token }), `after: ${digits}`)
})

test('sequences begin at 1 without gaps, and can be paged with after and limit; last is the newest', async ({
  system,
}) => {
  const partner = await system.makePartner({ deals: newDeals(57) })
  await system.makePartner({ deals: newDeals(3) })
  await bringIn(system, partner, newDeals(70))
  const read = async (query: string) =>
    (await ask(system, `GET /api/events?${query}`, { token: partner.token })).json
  const sequences = (json: any) => json.events.map(({ sequence }: { sequence: number }) => sequence)
  const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at)
  expect(sequences(await read(''))).toEqual(from(1, 25))
  expect(sequences(await read('limit=100'))).toEqual(from(1, 100))
  expect(sequences(await read('after=100&limit=100'))).toEqual(from(101, 27))
  expect(sequences(await read('after=0125&limit=01'))).toEqual([126])
  expect(sequences(await read('limit=1'))).toEqual([1])
  for (const after of ['127', '128', '9007199254740991'])
    expect((await ask(system, `GET /api/events?after=${after}`, { token: partner.token })).text).toBe(
      '{"events":[],"last":127,"next":127}',
    )
  for (const query of ['', 'after=3', 'after=127', 'limit=1']) expect((await read(query)).last).toBe(127)
})

test('after and limit are a 400 that names them if out of bounds or not plain digits', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const form of ['', '1.0']) {
    for (const name of ['after', 'limit'])
      expectInvalid(await ask(system, `GET /api/events?${name}=${form}`, { token }), `${name}: ${digits}`)
  }
  expectInvalid(await ask(system, 'GET /api/events?limit=-1', { token }), `limit: ${digits}`)
  for (const name of ['after', 'limit'])
    expectInvalid(
      await ask(system, `GET /api/events?${name}=1&${name}=1`, { token }),
      `${name}: must be given once`,
    )
  expectInvalid(await ask(system, 'GET /api/events?limit=0', { token }), 'limit: must be at least 1')
  expectInvalid(await ask(system, 'GET /api/events?limit=101', { token }), 'limit: must be at most 100')
  expectInvalid(
    await ask(system, `GET /api/events?after=${'9'.repeat(30)}&limit=0`, { token }),
    'after: must be at most 9007199254740991',
    'limit: must be at least 1',
  )
  expect((await ask(system, 'GET /api/events?limit=100&after=9007199254740991', { token })).status).toBe(200)
  expectInvalid(
    await ask(system, 'GET /api/events?After=1', { token }),
    'After: unknown parameter; did you mean after?',
  )
})

test('`after` older than the retention is a 410 that says where to continue', async ({ system }) => {
  const partner = await system.makePartner({ deals: newDeals(10) })
  const drop = (upTo: number) =>
    system.db.delete(events).where(and(eq(events.partnerId, partner.id), lte(events.sequence, upTo)))
  const gone = (after: number) =>
    `Events after ${after} are no longer available: list all deals again and continue from 10`
  await drop(4)
  for (const after of [0, 1, 3]) {
    const answer = await ask(system, `GET /api/events?after=${after}&limit=7`, { token: partner.token })
    expectError(answer, 410, 'GONE', gone(after))
    expect(answer.headers.link).toBe(
      `<${system.services.config.publicUrl}/api/events?after=10&limit=7>; rel="next"`,
    )
  }
  expectError(await ask(system, 'GET /api/events', { token: partner.token }), 410, 'GONE', gone(0))
  const { status, json } = await ask(system, 'GET /api/events?after=4', { token: partner.token })
  expect([status, json.events.length, json.events[0].sequence, json.last]).toEqual([200, 6, 5, 10])
  await drop(10)
  expectError(await ask(system, 'GET /api/events?after=9', { token: partner.token }), 410, 'GONE', gone(9))
  expect((await ask(system, 'GET /api/events?after=10', { token: partner.token })).text).toBe(
    '{"events":[],"last":10,"next":10}',
  )
  await bringIn(system, partner, newDeals(1))
  expect(
    (await ask(system, 'GET /api/events?after=10', { token: partner.token })).json.events[0].sequence,
  ).toBe(11)
})
