import { ask } from './client.ts'
import { bringIn, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

const url = 'http://127.0.0.1:9/hook'
const json = { 'content-type': 'application/json' }

test('a subscription is created once, read, listed and deleted', async ({ system }) => {
  const partner = await system.makePartner()
  const { token } = partner
  const body = { url, filter: { stage: ['Sold', 'Install'], amountMin: 100 }, changed: 'stage', name: 'CRM' }
  const made = await ask(system, 'POST /api/webhooks', { token, headers: json, body: JSON.stringify(body) })
  expect(made.status, made.text).toBe(201)
  expect(made.json).toMatchObject({
    ...body,
    id: expect.stringMatching(/^[0-9a-f]{12}$/),
    events: ['deal.created', 'deal.updated'],
    changed: ['stage'],
    since: 0,
    switchedOffAt: null,
  })
  const path = `/api/webhooks/${made.json.id}`
  expect(made.headers.location).toMatch(new RegExp(`${path}$`))
  const again = await ask(system, 'POST /api/webhooks', {
    token,
    headers: json,
    body: JSON.stringify({ url, filter: 'amountMin=100&stage=Install&stage=Sold', changed: ['stage'] }),
  })
  expect([again.status, again.json.id]).toEqual([200, made.json.id])
  expect((await ask(system, 'GET /api/webhooks', { token })).json).toEqual({ subscriptions: [again.json] })
  const unnamed = await ask(system, 'POST /api/webhooks', {
    token,
    json: { url: `${url}/all`, changed: '', name: ' \u00a0' },
  })
  expect([unnamed.status, unnamed.json.changed, unnamed.json.name]).toEqual([201, null, null])
  await ask(system, `DELETE /api/webhooks/${unnamed.json.id}`, { token })
  await bringIn(system, partner, [
    { id: newIds(1)[0]!, stage: 'Sold', amount: 100 },
    { id: newIds(1)[0]!, stage: 'Sold' },
  ])
  expect((await ask(system, `GET ${path}`, { token })).json).toEqual({ ...again.json, withheld: 1 })
  expect((await ask(system, 'GET /api/webhook', { token })).json).toEqual({
    createURL: null,
    updateURL: null,
  })
  const other = await system.makePartner()
  expect((await ask(system, `DELETE ${path}`, { token: other.token })).status).toBe(404)
  const gone = await ask(system, `DELETE ${path}`, { token })
  expect([gone.status, gone.text]).toEqual([204, ''])
  expect((await ask(system, `DELETE ${path}`, { token })).status).toBe(404)
  expect((await ask(system, `GET ${path}`, { token })).status).toBe(404)
})

test.for([
  [{ url: 'ftp://a.example' }, 'url: must be an http or https URL'],
  [{ url, filter: 'q=garcia' }, 'filter.q: an event alone cannot decide it'],
  [{ url, filter: { view: '1' } }, 'filter.view: an event alone cannot decide it'],
  [{ url, filter: 'modifiedAfter=2026-01-01' }, 'filter.modifiedAfter: an event alone cannot decide it'],
  [{ url, filter: { stagee: 'x' } }, 'filter.stagee: unknown parameter; did you mean stage?'],
  [{ url, changed: ['lastModified'] }, 'changed: lastModified changes with other fields'],
  [{ url, changed: 'stge' }, 'changed: there is no stge; did you mean stage?'],
  [{ url, changed: ','.repeat(10_000) }, 'changed: must be at most 100 fields'],
  [{ url, filter: 'stage=\ud800' }, 'filter: must not contain NUL or broken surrogates'],
  [{ url, filter: { stage: ['Sold', '\udc00'] } }, 'filter.stage.1: must not contain'],
  [{ url, filter: { stage: 'Sold\0' } }, 'filter.stage: must not contain'],
  [{ url, filter: { constructor: 'x' } }, 'filter.constructor: unknown parameter'],
  [{ url, filter: { stage: 'Sold', ['__proto__']: 'x' } }, 'filter.__proto__: unknown parameter'],
  [{ url, events: [] }, 'events: '],
  [{ url, filter: 5 }, 'filter: must be a query'],
] as const)('%j is a 400 that states the reason', async ([body, reason], { system }) => {
  const { token } = await system.makePartner()
  const answer = await ask(system, 'POST /api/webhooks', { token, headers: json, body: JSON.stringify(body) })
  expect(answer.status, answer.text).toBe(400)
  expect(answer.json.errors.join('\n')).toContain(reason)
})

test('lists events by a filter, with how each matched and the last sequence checked', async ({ system }) => {
  const partner = await system.makePartner()
  const [a, b] = newIds(2) as [bigint, bigint]
  await bringIn(system, partner, [
    { id: a, stage: 'New' },
    { id: b, stage: 'Sold' },
  ])
  await bringIn(system, partner, [{ id: a, stage: 'Sold' }])
  await bringIn(system, partner, [{ id: a, stage: 'New' }])
  const list = async (query: string) =>
    (await ask(system, `GET /api/events?${query}`, { token: partner.token })).json
  const filter = `filter=${encodeURIComponent('stage=Sold')}`
  const { events, last, next } = await list(filter)
  expect(events.map((event: any) => [event.dealId, event.filter])).toEqual([
    [String(b), 'entered'],
    [String(a), 'entered'],
    [String(a), 'left'],
  ])
  expect([last, next]).toEqual([4, 4])
  expect((await list(`${filter}&limit=1`)).next).toBe(2)
  expect((await list(`${filter}&limit=3`)).next).toBe(4)
  for (const after of ['4', '5', '9007199254740991'])
    expect(await list(`${filter}&after=${after}`)).toEqual({ events: [], last: 4, next: 4 })
  expect((await list(`${filter}&after=-1`)).events).toMatchObject([{ filter: 'left' }])
  expect(await list(`filter=${encodeURIComponent('stage=Nowhere')}`)).toEqual({
    events: [],
    last: 4,
    next: 4,
  })
  const refused = await ask(system, `GET /api/events?filter=q%3Dx`, { token: partner.token })
  expect([refused.status, refused.json.errors[0]]).toEqual([
    400,
    expect.stringContaining('q: an event alone cannot decide it'),
  ])
})
