import { deleteDeal } from '#server/deals/removal-store.ts'
import type { TestedSystem } from '../system.ts'
import { type Answer, ask, expectError, expectInvalid, lastingHeaders } from './client.ts'
import { bringIn, newDeals, newIds } from './deals.ts'
import { expect, test } from './rest-test.ts'

// server/deals/reconcile covers every difference and every malformed copy.

const notInt64 = 'must be an integer from -9223372036854775808 to 9223372036854775807'
const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 17, 20, second)).toISOString()

/** A deal in a client's copy. The ID is written with all its digits. */
type CopiedDeal = { id: bigint | number; lastModified?: string | null | undefined }

const copyJson = (deals: CopiedDeal[], range: { after?: bigint | null; upTo?: bigint | null } = {}) =>
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
  deals: CopiedDeal[],
  range?: Parameters<typeof copyJson>[1],
) => post(system, token, copyJson(deals, range))

/** Returns the expected body, byte for byte. */
function expected(
  lists: { missing?: bigint[]; stale?: bigint[]; gone?: bigint[] },
  last: number,
  next: bigint | null = null,
): string {
  const { missing = [], stale = [], gone = [] } = lists
  return `{"missing":[${missing}],"stale":[${stale}],"gone":[${gone}],"last":${last},"next":${next}}`
}

test('an empty copy lacks all deals, an empty range matches, and the response is uncached JSON', async ({
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

test('accepts a copy built from the list, in any order', async ({ system, demo }) => {
  const copy: CopiedDeal[] = []
  for (let page = 1; page <= 4; page++)
    copy.push(...(await ask(system, `GET /api/deals?size=25&page=${page}`, { token: demo.token })).json.deals)
  const ids = copy.map(({ id }) => BigInt(id)).toSorted((a, b) => Number(a - b))
  const { text } = await compare(system, demo.token, copy.toReversed(), { upTo: ids.at(-1)! })
  const { last } = (await ask(system, 'GET /api/events?limit=1', { token: demo.token })).json
  expect(text).toBe(expected({}, last))
})

test('reports deals of other partners, removed and unassigned deals and unknown ids all as gone', async ({
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

test('a malformed copy is a 400 that names the problems', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const [body, ...problems] of [
    ['[{"deals":[]}]', 'must be an object'],
    ['{"__proto__":{"deals":[]}}', 'deals: must be an array'],
    ['{"Deals":[]}', 'Deals: unknown key; did you mean deals?'],
    ['{"deals":[{"id":01}]}', 'the body must be JSON in UTF-8'],
    ['{"deals":[{"id":1},null]}', 'deals.1: must be an object'],
    ['{"deals":[{"id":1e19}]}', `deals.0.id: ${notInt64}`],
    ['{"deals":[],"upTo":1.5,"after":"1"}', `after: ${notInt64}`, `upTo: ${notInt64}`],
    [
      '{"deals":[{"id":1,"lastModified":"2026-02-30T00:00:00Z"}]}',
      'deals.0.lastModified: must be an ISO 8601 date-time with a time zone, such as 2026-03-01T17:20:05.000Z',
    ],
    ['{"deals":[{"id":5},{"id":5}]}', 'deals.1.id: must not come twice'],
    [`{"deals":[${Array(100_000).fill('0').join(',')}]}`, 'deals: must have at most 1000 items'],
  ] as [string, ...string[]][])
    expectInvalid(await post(system, token, body), ...problems)
})

test('unknown keys are ignored', async ({ system }) => {
  const [deal] = newDeals(1)
  const { token } = await system.makePartner({ deals: [deal!] })
  const other =
    '"__proto__":{"id":5,"lastModified":"x","after":9,"deals":0},"constructor":{"prototype":{"polluted":1}},"toString":1,"toJSON":1,"":[],"partner":"x","limit":1'
  expect((await post(system, token, `{${other},"deals":[{${other},"id":${deal!.id}}]}`)).text).toBe(
    expected({}, 1),
  )
})

test('application/*+json is accepted', async ({ system }) => {
  const { token } = await system.makePartner()
  expect(
    (await post(system, token, '{"deals":[]}', { 'content-type': 'application/vnd.partner+json' })).text,
  ).toBe(expected({}, 0))
})

test('is only for partners', async ({ system }) => {
  expectError(
    await post(system, await system.makeInternalToken(), '{"deals":[{"id":1}]}'),
    403,
    'FORBIDDEN',
    'Only partners can do this; an internal token belongs to none',
  )
})
