import type { DealRecord } from '#server/deals/deal.ts'
import { deleteDeal } from '#server/deals/removal-store.ts'
import type { TestedSystem } from '../system.ts'
import { type Answer, ask, expectError, expectInvalid, expectUnauthorized, lastingHeaders } from './client.ts'
import { bringIn, newDeals, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

const bodyMax = 1024 * 1024
const notInt64 = 'must be an integer from -9223372036854775808 to 9223372036854775807'
const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 17, 20, second)).toISOString()

/** One deal of a copy; written with every digit of its id. */
type Held = { id: bigint | number; lastModified?: string | null | undefined }

const copyJson = (deals: Held[], range: { after?: bigint | null; upTo?: bigint | null } = {}) =>
  `{"deals":[${deals
    .map(
      ({ id, lastModified }) =>
        `{"id":${id}${lastModified === undefined ? '' : `,"lastModified":${JSON.stringify(lastModified)}`}}`,
    )
    .join(',')}]${Object.entries(range)
    .map(([name, id]) => `,"${name}":${id}`)
    .join('')}}`

const post = (
  system: TestedSystem,
  token: string | undefined,
  body: string | Buffer,
  headers: Record<string, string | undefined> = {},
) =>
  ask(system, 'POST /api/events/reconcile', {
    token,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })

const compare = (
  system: TestedSystem,
  token: string,
  deals: Held[],
  range?: Parameters<typeof copyJson>[1],
) => post(system, token, copyJson(deals, range))

/** Returns the response text, byte for byte. */
function expected(
  lists: { missing?: bigint[]; stale?: bigint[]; gone?: bigint[] },
  last: number,
  next: bigint | null = null,
): string {
  const { missing = [], stale = [], gone = [] } = lists
  return `{"missing":[${missing}],"stale":[${stale}],"gone":[${gone}],"last":${last},"next":${next}}`
}

/** Returns a response with every digit of its ids. */
function read({ text }: Answer): { missing: bigint[]; stale: bigint[]; gone: bigint[]; next: bigint | null } {
  const [, missing, stale, gone, next] =
    /^\{"missing":\[(.*)\],"stale":\[(.*)\],"gone":\[(.*)\],"last":\d+,"next":(.*)\}$/.exec(text)!
  const ids = (list: string) => (list === '' ? [] : list.split(',').map(BigInt))
  return {
    missing: ids(missing!),
    stale: ids(stale!),
    gone: ids(gone!),
    next: next === 'null' ? null : BigInt(next!),
  }
}

test('an empty copy lacks everything, an empty range matches, and the response is uncached JSON', async ({
  system,
}) => {
  const deals = newDeals(3)
  const full = await system.makePartner({ deals })
  const answer = await compare(system, full.token, [])
  expect([answer.status, answer.text]).toEqual([200, expected({ missing: deals.map(({ id }) => id) }, 3)])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'private, no-cache',
    vary: 'Authorization, Accept-Encoding',
  })
  expect(answer.headers.etag).toBeUndefined()
  const empty = await system.makePartner()
  expect((await compare(system, empty.token, [])).text).toBe(expected({}, 0))
})

test('accepts a copy built from the list, in any order of its deals', async ({ system, demo }) => {
  const held: Held[] = []
  for (let page = 1; page <= 4; page++)
    held.push(...(await ask(system, `GET /api/deals?size=25&page=${page}`, { token: demo.token })).json.deals)
  const ids = held.map(({ id }) => BigInt(id)).toSorted((a, b) => Number(a - b))
  const { text } = await compare(system, demo.token, held.toReversed(), { upTo: ids.at(-1)! })
  const { last } = (await ask(system, 'GET /api/events?limit=1', { token: demo.token })).json
  expect(text).toBe(expected({}, last))
})

test('missing, stale and removed deals are distinguished, by ascending id', async ({ system }) => {
  const ids = newIds(8)
  const partner = await system.makePartner({
    deals: [ids[6]!, ids[0]!, ids[2]!, ids[4]!].map((id) => ({ id, lastModified: at(1) })),
  })
  await bringIn(system, partner, [{ id: ids[5]! }])
  const held = [
    { id: ids[7]! },
    { id: ids[5]!, lastModified: at(1) },
    { id: ids[4]! },
    { id: ids[1]!, lastModified: at(1) },
    { id: ids[2]!, lastModified: at(2) },
    { id: ids[0]!, lastModified: at(1) },
  ]
  expect((await compare(system, partner.token, held)).text).toBe(
    expected({ missing: [ids[6]!], stale: [ids[2]!, ids[4]!, ids[5]!], gone: [ids[1]!, ids[7]!] }, 5),
  )
  await bringIn(system, partner, [{ id: ids[0]!, lastModified: at(9) }])
  expect(read(await compare(system, partner.token, held)).stale).toEqual([ids[0], ids[2], ids[4], ids[5]])
})

test('after and upTo bound the comparison', async ({ system }) => {
  const deals = newDeals(5)
  const ids = deals.map(({ id }) => id)
  const { token } = await system.makePartner({ deals })
  const missing = async (range: Parameters<typeof copyJson>[1], held: bigint[] = []) =>
    read(
      await compare(
        system,
        token,
        held.map((id) => ({ id })),
        range,
      ),
    ).missing
  expect(await missing({ after: ids[1]!, upTo: ids[3]! })).toEqual([ids[2], ids[3]])
  expect(await missing({ after: ids[1]!, upTo: ids[3]! }, [ids[3]!])).toEqual([ids[2]])
  expect(await missing({ after: ids[1]! })).toEqual(ids.slice(2))
  expect(await missing({ upTo: ids[1]! })).toEqual(ids.slice(0, 2))
  expect(await missing({ after: null, upTo: null })).toEqual(ids)
  expect(await missing({ after: ids[1]!, upTo: ids[1]! })).toEqual([])
})

test('deals of other partners, removed ones, unassigned ones and unknown ids are all reported as gone', async ({
  system,
}) => {
  const [theirs, nobodys, removed, never] = newIds(4)
  const other = await system.makePartner({ deals: [{ id: theirs!, lastModified: at(1) }] })
  const partner = await system.makePartner({ deals: [{ id: removed!, lastModified: at(1) }] })
  await bringIn(system, null, [{ id: nobodys!, lastModified: at(1) }])
  await deleteDeal(system.db, removed!)
  const answers: Answer[] = []
  for (const id of [theirs!, nobodys!, removed!, never!]) {
    for (const lastModified of [at(1), at(2), null]) {
      const answer = await compare(system, partner.token, [{ id, lastModified }])
      expect(answer.text).toBe(expected({ gone: [id] }, 2))
      answers.push(answer)
    }
  }
  for (const answer of answers) expect(lastingHeaders(answer)).toEqual(lastingHeaders(answers[0]!))
  expect((await compare(system, partner.token, [], { after: theirs! - 1n, upTo: theirs! })).text).toBe(
    expected({}, 2),
  )
  expect((await compare(system, other.token, [{ id: theirs!, lastModified: at(1) }])).text).toBe(
    expected({}, 1),
  )
})

test('a moved deal is gone for one partner and missing for the other', async ({ system }) => {
  const [deal] = newDeals(1)
  const a = await system.makePartner({ deals: [deal!] })
  const b = await system.makePartner()
  await bringIn(system, b, [deal!])
  expect((await compare(system, a.token, [{ id: deal!.id }])).text).toBe(expected({ gone: [deal!.id] }, 2))
  expect((await compare(system, b.token, [])).text).toBe(expected({ missing: [deal!.id] }, 1))
  expect((await compare(system, b.token, [{ id: deal!.id }])).text).toBe(expected({}, 1))
})

test('a copy of 2,500 deals is compared in chunks, and each difference is reported once', async ({
  system,
}) => {
  const deals: DealRecord[] = newIds(2500).map((id, index) => ({
    id,
    lastModified: index % 7 === 0 ? null : at(index % 60),
  }))
  const { token } = await system.makePartner({ deals })
  const copy = new Map(deals.map(({ id, lastModified }) => [id, lastModified ?? null]))

  async function walk() {
    const held = [...copy]
      .map(([id, lastModified]) => ({ id, lastModified }))
      .toSorted((a, b) => Number(a.id - b.id))
    const told = { missing: [] as bigint[], stale: [] as bigint[], gone: [] as bigint[], posts: 0 }
    for (let start = 0; start < held.length; start += 1000) {
      const chunk = held.slice(start, start + 1000)
      const answer = read(
        await compare(system, token, chunk, {
          ...(start === 0 ? {} : { after: held[start - 1]!.id }),
          ...(start + 1000 >= held.length ? {} : { upTo: chunk.at(-1)!.id }),
        }),
      )
      expect(answer.next).toBeNull()
      for (const name of ['missing', 'stale', 'gone'] as const) told[name].push(...answer[name])
      told.posts++
    }
    return told
  }

  expect(await walk()).toEqual({ missing: [], stale: [], gone: [], posts: 3 })
  const ids = deals.map(({ id }) => id)
  const lost = ids.filter((_, index) => index % 40 === 3 || index === 0 || index === 2499)
  const aged = ids.filter((_, index) => index % 50 === 17)
  const strange = [ids[0]! - 1_000_000_000n, ids[2499]! + 1_000_000_000n]
  for (const id of lost) copy.delete(id)
  for (const id of aged) copy.set(id, at(61))
  for (const id of strange) copy.set(id, null)
  const told = await walk()
  expect(told).toEqual({ missing: lost, stale: aged, gone: strange, posts: 3 })
  for (const id of [...told.missing, ...told.stale])
    copy.set(id, (await ask(system, `GET /api/deals/${id}`, { token })).json.lastModified)
  for (const id of told.gone) copy.delete(id)
  expect(await walk()).toEqual({ missing: [], stale: [], gone: [], posts: 3 })
})

test('more than 1,000 missing deals are paged by next', async ({ system }) => {
  const deals = newDeals(2600)
  const ids = deals.map(({ id }) => id)
  const { token } = await system.makePartner({ deals })
  const held = [ids[0]! - 5_000_000_000n, ids[10]!, ids[1500]!, ids[2599]! + 5_000_000_000n].map((id) => ({
    id,
    lastModified: at(0),
  }))
  const told: ReturnType<typeof read>[] = []
  for (let after: bigint | null | undefined; after !== null;) {
    const from: bigint | undefined = after
    const answer = read(
      await compare(
        system,
        token,
        held.filter(({ id }) => from === undefined || id > from),
        from === undefined ? {} : { after: from },
      ),
    )
    told.push(answer)
    after = answer.next
  }
  expect(told.map(({ missing, stale, gone, next }) => [missing.length, stale, gone, next])).toEqual([
    [1000, [ids[10]], [held[0]!.id], ids[1000]],
    [1000, [ids[1500]], [], ids[2001]],
    [598, [], [held[3]!.id], null],
  ])
  expect(told.flatMap(({ missing }) => missing)).toEqual(
    ids.filter((_, index) => index !== 10 && index !== 1500),
  )
  expect(read(await compare(system, token, [], { upTo: ids[999]! }))).toMatchObject({
    missing: { length: 1000 },
    next: null,
  })
  expect(read(await compare(system, token, [], { upTo: ids[1000]! }))).toMatchObject({
    missing: { length: 1000 },
    next: ids[999],
  })
})

test('ids are exact to the last digit, from the smallest to the largest', async ({ system }) => {
  const [min, max, odd] = [-(2n ** 63n), 2n ** 63n - 1n, 9_007_199_254_740_993n]
  const partner = await system.makePartner({
    deals: [min, odd, max].map((id) => ({ id, lastModified: at(1) })),
  })
  try {
    expect((await compare(system, partner.token, [])).text).toBe(expected({ missing: [min, odd, max] }, 3))
    expect(
      (
        await compare(
          system,
          partner.token,
          [max, odd, min].map((id) => ({ id, lastModified: at(1) })),
        )
      ).text,
    ).toBe(expected({}, 3))
    expect(
      (
        await compare(
          system,
          partner.token,
          [max - 1n, odd - 1n, odd + 1n, min + 1n].map((id) => ({ id })),
        )
      ).text,
    ).toBe(expected({ missing: [min, odd, max], gone: [min + 1n, odd - 1n, odd + 1n, max - 1n] }, 3))
    expect((await compare(system, partner.token, [], { after: min, upTo: max })).text).toBe(
      expected({ missing: [odd, max] }, 3),
    )
    expect((await compare(system, partner.token, [], { after: odd - 1n, upTo: odd })).text).toBe(
      expected({ missing: [odd] }, 3),
    )
    expectInvalid(
      await compare(system, partner.token, [{ id: odd }], { after: odd }),
      'deals.0.id: must be greater than after',
    )
  } finally {
    for (const id of [min, odd, max]) await deleteDeal(system.db, id)
  }
})

test('lastModified is compared as an instant, to the millisecond', async ({ system }) => {
  const [timed, untimed] = newIds(2)
  const { token } = await system.makePartner({
    deals: [{ id: timed!, lastModified: '2026-03-01T17:20:05.120Z' }, { id: untimed! }],
  })
  const stale = async (held: Held) =>
    read(
      await compare(system, token, [
        held,
        {
          id: held.id === timed ? untimed! : timed!,
          lastModified: held.id === timed ? null : '2026-03-01T17:20:05.12Z',
        },
      ]),
    ).stale
  for (const same of [
    '2026-03-01T17:20:05.120Z',
    '2026-03-01T17:20:05.12Z',
    '2026-03-01T10:20:05.12-07:00',
    '2026-03-01T17:20:05.120999999+00:00',
    '2026-03-02T07:20:05.1200+14:00',
    '2026-03-01T22:50:05.120+05:30',
  ]) {
    expect(await stale({ id: timed!, lastModified: same }), same).toEqual([])
  }
  for (const other of [
    '2026-03-01T17:20:05.121Z',
    '2026-03-01T17:20:05.119999999Z',
    '2026-03-01T17:20:05Z',
    '2026-03-01T17:20:05.120-07:00',
    null,
    undefined,
  ]) {
    expect(await stale({ id: timed!, lastModified: other }), String(other)).toEqual([timed])
  }
  for (const same of [null, undefined]) expect(await stale({ id: untimed!, lastModified: same })).toEqual([])
  expect(await stale({ id: untimed!, lastModified: '1970-01-01T00:00:00Z' })).toEqual([untimed])
})

test('last is the sequence after which the events continue', async ({ system }) => {
  const partner = await system.makePartner({ deals: newDeals(3) })
  const { last } = (await compare(system, partner.token, [])).json
  const [deal] = newDeals(1)
  await bringIn(system, partner, [deal!])
  const { events } = (await ask(system, `GET /api/events?after=${last}`, { token: partner.token })).json
  expect(events.map(({ data }: any) => BigInt(data.id))).toEqual([deal!.id])
})

test('a body that is not an object, or lacks an array of deals, is a 400 that says so', async ({
  system,
}) => {
  const { token } = await system.makePartner()
  for (const body of ['null', '[1]', '[]', '"x"', '1', 'true', '9223372036854775808', '[{"deals":[]}]'])
    expectInvalid(await post(system, token, body), 'must be an object')
  for (const body of [
    '{}',
    '{"deals":null}',
    '{"deals":{}}',
    '{"deals":"[]"}',
    '{"deals":{"length":2000}}',
    '{"__proto__":{"deals":[]}}',
    '{"constructor":{"prototype":{"deals":[]}}}',
  ]) {
    expectInvalid(await post(system, token, body), 'deals: must be an array')
  }
  expectInvalid(await post(system, token, '{"Deals":[]}'), 'Deals: unknown key; did you mean deals?')
  for (const body of [
    '',
    '{',
    '{"deals":[}',
    '{"deals":[]',
    "{'deals':[]}",
    '{"deals":[{"id":01}]}',
    '{"deals":[{"id":+1}]}',
    '{"deals":[{"id":1n}]}',
  ])
    expectInvalid(await post(system, token, body), 'the body must be JSON in UTF-8')
  expect((await post(system, token, '\ufeff{"deals":[]}')).status).toBe(200)
})

test('a deal, id, time or bound of the wrong form is a 400 that names it', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const deal of ['null', '1', '"1"', '[]', '[[[[]]]]'])
    expectInvalid(await post(system, token, `{"deals":[{"id":1},${deal}]}`), 'deals.1: must be an object')
  for (const id of [
    '"1"',
    '1.5',
    '1e-7',
    '1e19',
    '9223372036854775808',
    '-9223372036854775809',
    '9'.repeat(400),
    'null',
    'true',
    '[1]',
    '{"id":1}',
  ]) {
    expectInvalid(
      await post(system, token, `{"deals":[{"id":1},{"id":2},{"id":3},{"id":${id}}]}`),
      `deals.3.id: ${notInt64}`,
    )
    if (id !== 'null')
      expectInvalid(
        await post(system, token, `{"deals":[],"upTo":${id},"after":${id}}`),
        `after: ${notInt64}`,
        `upTo: ${notInt64}`,
      )
  }
  for (const time of [
    '""',
    '"now"',
    '"2026-03-01"',
    '"2026-03-01T17:20:05"',
    '"2026-02-30T00:00:00Z"',
    '1772385605000',
    'true',
    '{}',
    '["2026-03-01T17:20:05Z"]',
  ]) {
    expectInvalid(
      await post(system, token, `{"deals":[{"id":1,"lastModified":${time}}]}`),
      'deals.0.lastModified: must be an ISO 8601 date-time with a time zone, such as 2026-03-01T17:20:05.000Z',
    )
  }
  expectInvalid(
    await post(system, token, '{"deals":[{"id":5},{"id":6},{"id":5}]}'),
    'deals.2.id: must not come twice',
  )
  expectInvalid(
    await post(system, token, '{"deals":[{"id":5},{"id":8}],"after":5,"upTo":7}'),
    'deals.0.id: must be greater than after',
    'deals.1.id: must not be greater than upTo',
  )
  expectInvalid(
    await post(system, token, '{"deals":[],"after":5,"upTo":4}'),
    'upTo: must not be less than after',
  )
  for (const body of [
    '{"deals":[{"id":1.0},{"id":-0},{"id":2e2}]}',
    '{"deals":[{"id":1,"lastModified":null}],"after":null,"upTo":null}',
  ])
    expect((await post(system, token, body)).status).toBe(200)
})

test('1,000 deals are compared, 1,001 are a 400, and the first of very many errors are named', async ({
  system,
}) => {
  const { token } = await system.makePartner()
  const held = newIds(1001).map((id) => ({ id, lastModified: '2026-03-01T10:20:05.123456789-07:00' }))
  expect((await compare(system, token, held.slice(1))).text).toBe(
    expected({ gone: held.slice(1).map(({ id }) => id) }, 0),
  )
  expectInvalid(await compare(system, token, held), 'deals: must have at most 1000 items')
  for (const item of ['0', '{}', '[]', '""', 'null', '{"id":1}'])
    expectInvalid(
      await post(system, token, `{"deals":[${Array(100_000).fill(item).join(',')}]}`),
      'deals: must have at most 1000 items',
    )
  expectInvalid(
    await post(system, token, `{"deals":[${Array(1000).fill('{}').join(',')}]}`),
    ...Array.from({ length: 19 }, (_, index) => `deals.${index}.id: ${notInt64}`),
    'and 981 more',
  )
  expectInvalid(
    await compare(system, token, Array(1000).fill(held[0])),
    ...Array.from({ length: 19 }, (_, index) => `deals.${index + 1}.id: must not come twice`),
    'and 980 more',
  )
})

test('unknown keys are ignored', async ({ system }) => {
  const [deal] = newDeals(1)
  const { token } = await system.makePartner({ deals: [deal!] })
  const other =
    '"__proto__":{"id":5,"lastModified":"x","after":9,"deals":0},"constructor":{"prototype":{"polluted":1}},"toString":1,"toJSON":1,"":[],"partner":"x","limit":1'
  expect((await post(system, token, `{${other},"deals":[{${other},"id":${deal!.id}}]}`)).text).toBe(
    expected({}, 1),
  )
  expect(
    (
      await ask(system, 'POST /api/events/reconcile?after=5&deals=x&__proto__=1', {
        token,
        json: { deals: [] },
      })
    ).text,
  ).toBe(expected({ missing: [deal!.id] }, 1))
  expect((await post(system, token, `{"deals":"x","deals":[]}`)).text).toBe(
    expected({ missing: [deal!.id] }, 1),
  )
})

test('nesting of any depth is rejected or ignored, never an internal error', async ({ system }) => {
  const { token } = await system.makePartner()
  const deep = (count: number) => '['.repeat(count) + ']'.repeat(count)
  for (const body of [
    '['.repeat(100_000),
    deep(500_000),
    `{"deals":${deep(100_000)}}`,
    `{"deals":[{"id":${deep(100_000)}}]}`,
    '{"deals":'.repeat(100_000),
    `${'{"deals":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ]) {
    const answer = await post(system, token, body)
    expect([answer.status, answer.json.code]).toEqual([400, 'BAD_REQUEST'])
    expect(answer.text.length).toBeLessThan(300)
  }
  expect([200, 400]).toContain((await post(system, token, `{"deals":[],"x":${deep(100_000)}}`)).status)
})

test('a body of 1 MiB is read, one byte more is a 413', async ({ system }) => {
  const { token } = await system.makePartner()
  expect((await post(system, token, '{"deals":[]}'.padEnd(bodyMax, ' '))).text).toBe(expected({}, 0))
  expectError(
    await post(system, token, '{"deals":[]}'.padEnd(bodyMax + 1, ' ')),
    413,
    'PAYLOAD_TOO_LARGE',
    'The body is larger than 1048576 bytes',
  )
})

test('application/json and application/*+json are accepted, everything else is a 415', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const type of [
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/vnd.partner+json',
    'application/ld+json;charset=UTF-8',
  ]) {
    expect((await post(system, token, '{"deals":[]}', { 'content-type': type })).text).toBe(expected({}, 0))
  }
  for (const type of [
    undefined,
    '',
    'text/plain',
    'application/xml',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]) {
    expectError(
      await post(system, token, '{"deals":[]}', { 'content-type': type }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be application/json',
    )
  }
  expectError(
    await post(system, token, '{"deals":[]}', { 'content-encoding': 'gzip' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must not be compressed',
  )
})

test('the token is checked first, then its scope, then the body; and it is only for partners', async ({
  system,
}) => {
  const narrow = await system.makePartner({ scopes: ['files:read', 'webhooks:read', 'webhooks:write'] })
  const internal = await system.makeInternalToken()
  for (const [body, type] of [
    ['{"deals":[]}', 'application/json'],
    ['{', 'application/json'],
    ['null', 'text/plain'],
    [' '.repeat(bodyMax + 1), 'application/json'],
  ] as const) {
    expectUnauthorized(await post(system, undefined, body, { 'content-type': type }), 'no token')
    expectUnauthorized(
      await post(system, `${narrow.token.slice(0, -1)}~`, body, { 'content-type': type }),
      'a bad token',
    )
    const refused = await post(system, narrow.token, body, { 'content-type': type })
    expectError(refused, 403, 'FORBIDDEN', 'This needs the scope deals:read')
    expect(refused.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="deals:read"')
  }
  expectError(
    await post(system, internal, '{"deals":[{"id":1}]}'),
    403,
    'FORBIDDEN',
    'Only partners can do this; an internal token belongs to none',
  )
  const reader = await system.makePartner({ scopes: ['deals:read'] })
  expect((await post(system, reader.token, '{"deals":[]}')).status).toBe(200)
})

test('any method but POST is a 405 that says so', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await ask(system, `${method} /api/events/reconcile`, { token })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
    if (method !== 'HEAD') expectError(answer, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
  }
  expect((await ask(system, 'POST /api/events', { token, json: { deals: [] } })).headers.allow).toBe(
    'GET, HEAD',
  )
})
