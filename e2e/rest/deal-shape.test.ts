import { ask } from './client.ts'
import { dealKeys, doubles, flags, personKeys, roles, texts, times } from './interface.ts'
import { expect, test } from './rest-test.ts'

const time = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

test('every deal has all keys in the order of the interface, each of its type', async ({ system, demo }) => {
  const seen = new Set<string>()
  for (const page of [1, 2, 3, 4, 5, 6]) {
    const { json } = await ask(system, `GET /api/deals?size=25&page=${page}`, { token: demo.token })
    for (const deal of json.deals) {
      expect(Object.keys(deal)).toEqual(dealKeys)
      expect(Number.isSafeInteger(deal.id)).toBe(true)
      for (const key of flags) expect(typeof deal[key], key).toBe('boolean')
      for (const key of texts) if (deal[key] !== null) expect(typeof deal[key], key).toBe('string')
      for (const key of doubles) if (deal[key] !== null) expect(typeof deal[key], key).toBe('number')
      for (const key of times) if (deal[key] !== null) expect(deal[key], key).toMatch(time)
      for (const role of roles)
        if (deal[role] !== null) expect(Object.keys(deal[role]), role).toEqual(personKeys)
      for (const [key, value] of Object.entries(deal)) if (value !== null) seen.add(key)
    }
  }
  expect(
    dealKeys.filter((key) => !seen.has(key)),
    'the demonstration shows every field',
  ).toEqual([])
})

test('a deal is identical, byte for byte, in the list and by id', async ({ system, demo }) => {
  const page = await ask(system, 'GET /api/deals?size=25&page=3', { token: demo.token })
  const byId = await Promise.all(
    page.json.deals.map(({ id }: { id: number }) =>
      ask(system, `GET /api/deals/${id}`, { token: demo.token }),
    ),
  )
  expect(page.text).toBe(
    `{"page":3,"pages":${page.json.pages},"count":${page.json.count},"deals":[${byId.map(({ text }) => text).join(',')}]}`,
  )
})

test('ids are exact JSON numbers for the whole int64 range, for deals and persons', async ({ system }) => {
  const ids = [
    '9223372036854775807',
    '9007199254740993',
    '-9223372036854775808',
    '-9007199254740993',
    '9007199254740992',
  ]
  const person = (id: string, userId: string) =>
    `{"id":${id},"userId":${userId},"email":null,"firstName":null,"lastName":null,"teams":null,"crmTeamId":null,"createdAt":null,"updatedAt":null}`
  const { token, slug } = await system.makePartner()
  const lines = ids.map(
    (id, at) => `{"id":${id},"owner":${person(id, ids.at(-1 - at)!)},"permitCoordinator":{"id":${ids[at]}}}`,
  )
  expect((await system.operator(['import', '-', '--partner', slug], lines.join('\n'))).stdout).toBe(
    'created 5, updated 0, unchanged 0, rejected 0\n',
  )
  const list = await ask(system, 'GET /api/deals', { token })
  const events = await ask(system, 'GET /api/events', { token })
  for (const [at, id] of ids.entries()) {
    const { status, text } = await ask(system, `GET /api/deals/${id}`, { token })
    expect(status).toBe(200)
    expect(text.startsWith(`{"id":${id},"owner":${person(id, ids.at(-1 - at)!)},`)).toBe(true)
    expect(text).toContain(`"permitCoordinator":${person(id, 'null')},"dealname"`)
    expect(list.text).toContain(text)
    expect(events.text).toContain(`"data":${text},`)
  }
  for (const near of [
    '9223372036854775806',
    '9007199254740991',
    '9007199254740994',
    '-9223372036854775807',
    '9007199254740993.0',
  ]) {
    expect((await ask(system, `GET /api/deals/${near}`, { token })).status, near).toBe(
      near.includes('.') ? 400 : 404,
    )
  }
})
