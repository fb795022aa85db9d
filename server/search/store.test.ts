import { beforeAll, expect, test, describe } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import type { Deal, DealRecord } from '../deals/deal.ts'
import { parseDeal } from '../deals/render.ts'
import { fold } from '../deals/search-text.ts'
import { utc } from '../values/zone.ts'
import { countDeals } from './count-store.ts'
import { readMatching } from './export-store.ts'
import { findNeighbours, findFirst, findDeals } from './store.ts'
import { type DealFilter, type DealSort, initialSort, sortFields } from './wire.ts'

const database = useDatabase()
let partnerId: PartnerId
let deals: Deal[]
const makePartner = async () =>
  (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
const write = (records: DealRecord[], partner: number) => writeRecords(database.db, partner, records)

beforeAll(async () => {
  partnerId = await makePartner()
  deals = [
    ...demoDeals({ partner: demoPartners[0]!, count: 400, firstId: 1000n, now: new Date('2026-06-01') }),
  ]
  await write(deals, partnerId)
  // Another partner with similar data, to expose leaks.
  await write(
    [
      ...demoDeals({
        partner: demoPartners[0]!,
        count: 200,
        firstId: 9_000_000n,
        now: new Date('2026-06-01'),
      }),
    ],
    await makePartner(),
  )
  await write(
    [
      { id: -1n },
      { id: -2n, stage: '', amount: -0.5, lastModified: '0000-01-01T00:00:00.000Z' },
      { id: -3n, systemSize: 'about 7 kW', city: 'Ärmel' },
    ],
    partnerId,
  )
  deals.push(...(await all({}, initialSort)).filter(({ id }) => id < 0n))
})

/** Returns all matches, read page by page. */
async function all(
  filter: DealFilter,
  sort: DealSort,
  size = 37,
  tenant: TenantScope = partnerId,
): Promise<Deal[]> {
  const found: Deal[] = []
  for (let cursor = null as Parameters<typeof findDeals>[3]; ;) {
    const page = await findDeals(database.db, { tenant, filter, zone: utc }, sort, cursor, size)
    found.push(...page.deals.map(({ json }) => parseDeal(json)))
    if (page.next === null) return found
    cursor = page.next
  }
}

const ids = (list: Deal[]) => list.map(({ id }) => String(id))

/** Returns a deal's sort key as JavaScript sorts it. */
function keyOf(deal: Deal, { field }: DealSort): string | number | null {
  if (field === 'dealname') return fold(deal.dealname ?? `Deal ${deal.id}`)
  if (field === 'systemSize')
    return deal.systemSize === null || !/^\s*\d/.test(deal.systemSize)
      ? null
      : Number.parseFloat(deal.systemSize)
  const value = deal[field]
  if (typeof value !== 'string') return value
  if (field === 'city' || field === 'state' || field === 'stage' || field === 'pipeline')
    return value.toLowerCase()
  if (value.startsWith('0000')) return null
  return value
}

function sorted(list: Deal[], sort: DealSort): Deal[] {
  const sign = sort.direction === 'asc' ? 1 : -1
  return list.toSorted((a, b) => {
    const [left, right] = [keyOf(a, sort), keyOf(b, sort)]
    if (left === right) return sign * Number(a.id - b.id)
    if (left === null) return 1
    if (right === null) return -1
    return left < right ? -sign : sign
  })
}

describe('returns all deals of the partner and no others, page by page', () => {
  test.each(
    sortFields.flatMap((field) => [
      { field, direction: 'asc' as const },
      { field, direction: 'desc' as const },
    ]),
  )('sorts by $field $direction, unknown values last', async (sort) => {
    expect(ids(await all({}, sort))).toEqual(ids(sorted(deals, sort)))
  })
})

describe('a filter matches its rule', () => {
  const person = () => deals[0]!.projectManager!
  const cases: [string, () => DealFilter, (deal: Deal) => boolean][] = [
    ['an id', () => ({ search: String(deals[5]!.id) }), ({ id }) => id === deals[5]!.id],
    [
      "a person's address",
      () => ({ search: person().email!.toUpperCase() }),
      (deal) =>
        Object.values(deal).some((value) => typeof value === 'object' && value?.email === person().email),
    ],
    [
      'a city, a flag and a date',
      () => ({ search: deals[3]!.city!, flags: { permitRequired: true }, present: ['createDate'] }),
      (deal) => deal.city === deals[3]!.city && deal.permitRequired,
    ],
  ]

  test.each(cases)('finds exactly the deals with %s', async (_, filter, matches) => {
    const expected = deals.filter(matches)
    expect(expected.length).toBeGreaterThan(0)
    for (const sort of [initialSort, { field: 'amount', direction: 'asc' } as const])
      expect(ids(await all(filter(), sort))).toEqual(ids(sorted(expected, sort)))
    expect(await countDeals(database.db, { tenant: partnerId, filter: filter(), zone: utc })).toEqual({
      count: expected.length,
      isMore: false,
      amount: expect.closeTo(
        expected.reduce((sum, { amount }) => sum + (amount ?? 0), 0),
        2,
      ),
      withoutAmount: expected.filter(({ amount }) => amount === null).length,
    })
    const streamed: string[] = []
    await readMatching(
      database.db,
      { tenant: partnerId, filter: filter(), zone: utc },
      initialSort,
      async (some) => void streamed.push(...some.map(({ json }) => json)),
    )
    expect(ids(streamed.map(parseDeal))).toEqual(ids(sorted(expected, initialSort)))
  })
})

test('hostile text matches only itself', async () => {
  for (const text of [
    "'; drop table deals; --",
    '\\',
    "'':*",
    ':* | !x',
    '%_',
    '\u{1f600}',
    '@',
    "a@'\\%",
    '((((((('.repeat(20),
  ]) {
    for (const filter of [{ search: text }, { stages: [text] }, { people: [text] }])
      await all(filter, initialSort)
  }
  for (const search of ["'; drop", '%@%']) expect(await all({ search }, initialSort)).toEqual([])
})

test('stores and finds a deal with any text', async () => {
  const mine = await makePartner()
  const texts = [
    '',
    ' ',
    '\\',
    "'",
    'a@b\\',
    "\\'",
    '@',
    "x'y@z.example",
    '\t\n',
    '\u{1f600}',
    'a b@c',
    ':*&|!()',
    `a${'\u{1f600}'.repeat(200)}`,
    `a${'\u{10400}'.repeat(200)}`,
    `a${'\u{10400}'.repeat(200)}@b`,
  ]
  const records = texts.map((text, index): DealRecord => ({
    id: -100n - BigInt(index),
    hoaEmail: text,
    dealname: text,
    primaryPhone: text,
    zipCode: text,
    city: text,
    closerName: text,
    systemSize: text,
  }))
  records[0]!.closerName = Array.from({ length: 2000 }, (_, index) => (index * 7919).toString(36)).join('')
  await write(records, mine)
  expect(await all({}, initialSort, 50, mine)).toHaveLength(texts.length)
  expect(ids(await all({ search: "x'y@z" }, initialSort, 50, mine))).toEqual(['-107'])
  expect(ids(await all({ search: 'a@b\\' }, initialSort, 50, mine))).toContain('-104')
})

test("finds rare matches beyond the limited scan, and all partners' deals for the installer's staff", async () => {
  const mine = await makePartner()
  const firstId = 1_000_000n
  const records = Array.from({ length: 3500 }, (_, index): DealRecord => ({
    id: firstId + BigInt(index),
    dealname: index < 3 ? 'Zanzibar' : 'Common',
    lastModified: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString(),
  }))
  for (let start = 0; start < records.length; start += 500)
    await write(records.slice(start, start + 500), mine)
  expect(ids(await all({ search: 'zanzi' }, initialSort, 2, mine))).toEqual(['1000002', '1000001', '1000000'])
  expect(ids(await all({ search: 'zanzi' }, initialSort, 2, everyone))).toEqual([
    '1000002',
    '1000001',
    '1000000',
  ])
  expect(await all({ search: 'common' }, initialSort, 500, mine)).toHaveLength(3497)
  expect(await all({}, initialSort, 1000, mine)).toHaveLength(3500)
})

describe('neighbors', () => {
  let owner: PartnerId
  beforeAll(async () => {
    owner = await makePartner()
    const records = [
      ...demoDeals({ partner: demoPartners[0]!, count: 60, firstId: 20_000n, now: new Date() }),
    ]
    // Deals without known fields sort last, ordered by id.
    await write([...records, { id: -11n }, { id: -12n }, { id: -13n }], owner)
  })

  const find = (filter: DealFilter, sort: DealSort, id: bigint, tenant: TenantScope = owner) =>
    findNeighbours(database.db, { tenant, filter, zone: utc }, sort, id)

  const idsOf = async (filter: DealFilter, sort: DealSort) =>
    (await findFirst(database.db, { tenant: owner, filter, zone: utc }, sort, 100)).map(
      ({ cursor }) => cursor.id,
    )

  test.each<[string, DealFilter, DealSort]>([
    ['latest first', {}, { field: 'lastModified', direction: 'desc' }],
    ['oldest first', {}, { field: 'lastModified', direction: 'asc' }],
    ['by stage, which many deals share', {}, { field: 'stage', direction: 'asc' }],
    ['by an amount that some deals lack', { amount: { min: 1 } }, { field: 'amount', direction: 'desc' }],
    ['by a time that many deals lack', {}, { field: 'notesNextActivityDate', direction: 'asc' }],
    ['by city, which has no index', {}, { field: 'city', direction: 'desc' }],
    ['among search results', { search: 'phoenix' }, { field: 'dealname', direction: 'asc' }],
  ])('are the deals before and after in the list: %s', async (_what, filter, sort) => {
    const list = await idsOf(filter, sort)
    for (const [index, id] of list.entries())
      expect(await find(filter, sort, id), `at ${index} of ${list.length}`).toEqual({
        previous: list[index - 1] ?? null,
        next: list[index + 1] ?? null,
      })
  })

  test('of a deal that no longer matches are those of its former position', async () => {
    const sort: DealSort = { field: 'lastModified', direction: 'desc' }
    const list = await idsOf({}, sort)
    const filter: DealFilter = { search: String(list[9]) }
    expect(await find(filter, sort, list[4]!)).toEqual({ previous: null, next: list[9] })
  })

  test("of another tenant's deal are not found", async () => {
    const sort: DealSort = { field: 'lastModified', direction: 'desc' }
    expect(await find({}, sort, 9_000_000n)).toEqual({ previous: null, next: null })
    expect(await find({}, sort, 9_000_000n, everyone)).not.toEqual({ previous: null, next: null })
  })
})
