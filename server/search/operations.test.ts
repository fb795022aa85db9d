import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { signedIn } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { type DealRecord, type KnownDeal } from '../deals/deal.ts'
import { eventPageMaxBytes } from '../deals/policy.ts'
import { renderDeal } from '../deals/render.ts'
import type { Services } from '../runtime/services.ts'
import { utc } from '../values/zone.ts'
import { saveView } from '../views/store.ts'
import { readMatching } from './export-store.ts'
import { filterOf, searchDeals } from './operations.ts'
import { type ParameterValues, readFilter } from './parameters.ts'
import { resolveQuery, readViewFilter } from './resolve-query.ts'
import { searchRouter } from './router.ts'
import { type DealFilter, initialSort } from './wire.ts'

const database = useDatabase()
let tenant: PartnerId
let lastId = 0n
beforeAll(async () => {
  tenant = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id
})

const stages = ['Sold', 'Permit, Submitted', 'Lost', null]
const texts = ['AZ', 'Texas', null]
const times = ['2026-01-01T00:00:00.000Z', '2026-02-01T12:00:00.001Z', '2026-03-01T00:00:00.000Z', null]
const amounts = [0, 100, 200.5, 30_000, null]
const names = ['Garcia, Ana', 'Lopez, Ben', 'Garcia, Carl', null]

const anyDeal = fc.record({
  dealname: fc.constantFrom(...names),
  stage: fc.constantFrom(...stages),
  pipeline: fc.constantFrom('Solar', 'Roof', null),
  state: fc.constantFrom(...texts),
  amount: fc.constantFrom(...amounts),
  battery: fc.constantFrom('Powerwall', null),
  hasBattery: fc.constantFrom(true, false, undefined),
  hasHoa: fc.constantFrom(true, false, undefined),
  lastModified: fc.constantFrom(...times),
  createDate: fc.constantFrom(...times),
  permitSubmitted: fc.constantFrom(...times),
})

const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
const several = (...values: string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
const known = (values: readonly (string | number | null)[]) =>
  values.flatMap((value) => (value === null ? [] : [String(value)]))

/** An arbitrary search query, by parameter. */
const anyQuery = fc.record({
  q: some(fc.constantFrom('garcia', 'lop', 'ana ga').map((text) => [text])),
  stage: some(several(...known(stages))),
  pipeline: some(several('Solar', 'Roof')),
  state: some(several('arizona', 'TX')),
  modifiedAfter: some(fc.constantFrom(...known(times)).map((text) => [text])),
  createdAfter: some(fc.constantFrom(...known(times)).map((text) => [text])),
  amountMin: some(fc.constantFrom(...known(amounts)).map((text) => [text])),
  amountMax: some(fc.constantFrom(...known(amounts)).map((text) => [text])),
  has: some(several('amount', 'battery', 'permitSubmitted,stage', 'createDate')),
  lacks: some(several('amount', 'battery', 'permitSubmitted,stage', 'state')),
  flag: some(several('hasBattery', 'hasBattery:false', 'hasHoa,hasBattery', 'hasHoa:false')),
})

type SearchInput = Parameters<typeof searchDeals>[2]
type QueryParameters = Partial<Record<string, string[] | undefined>>

const textOf = (query: QueryParameters) =>
  String(
    new URLSearchParams(
      Object.entries(query).flatMap(([name, values]) => (values ?? []).map((value) => [name, value])),
    ),
  )

function readQuery(query: QueryParameters): ParameterValues {
  const { values, problems } = readFilter(textOf(query))
  expect(problems).toEqual([])
  return values
}

/** Returns true if a deal matches, judging by the fields that partners receive. */
function matches(deal: KnownDeal, values: ParameterValues): boolean {
  const { q, stage, pipeline, state, modifiedAfter, createdAfter, amountMin, amountMax, has, lacks, flag } =
    values
  const words = (deal.dealname ?? '').toLowerCase().split(/\W+/)
  const forms: Record<string, string> = { Texas: 'TX' }
  const isSet = (field: string) => (deal as unknown as Record<string, unknown>)[field] !== null
  const isAfter = (time: string | null, after: string | undefined) =>
    after === undefined || (time !== null && time > after)
  const isIn = (value: string | null, list: string[] | undefined) =>
    list === undefined || (value !== null && list.includes(value))
  const hasAny = <T>(lists: T[][] | undefined, is: (each: T) => boolean) =>
    lists === undefined || lists.some((list) => list.every(is))
  return (
    (q === undefined || q.split(' ').every((word) => words.some((each) => each.startsWith(word)))) &&
    isIn(deal.stage, stage) &&
    isIn(deal.pipeline, pipeline) &&
    isIn(deal.state && (forms[deal.state] ?? deal.state), state) &&
    isAfter(deal.lastModified, modifiedAfter) &&
    isAfter(deal.createDate, createdAfter) &&
    (amountMin === undefined || (deal.amount !== null && deal.amount >= amountMin)) &&
    (amountMax === undefined || (deal.amount !== null && deal.amount <= amountMax)) &&
    hasAny(has, isSet) &&
    hasAny(lacks, (field) => !isSet(field)) &&
    hasAny(flag, ({ field, isTrue }) => (deal[field] ?? false) === isTrue)
  )
}

const idsIn = (json: string) => [...json.matchAll(/\{"id":(\d+)/g)].map(([, id]) => id!)
const actorOf = () => ({ tenant, zone: utc, user: null })

/** Returns the ids that a search finds across all its pages. */
async function searchAll(search: Omit<SearchInput, 'cursor'>): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | undefined; ;) {
    const json: string = await searchDeals(database.db, actorOf(), { ...search, fields: ['id'], cursor })
    found.push(...idsIn(json))
    const { next } = JSON.parse(json) as { next: string | null }
    if (next === null) return found.toSorted()
    cursor = next
  }
}

/** Returns the ids in an export. */
async function exportAll(filter: DealFilter): Promise<string[]> {
  const exported: string[] = []
  const query = await resolveQuery(actorOf(), filter)
  await readMatching(database.db, query, initialSort, async (batch) => {
    exported.push(...batch.flatMap(({ json }) => idsIn(json).slice(0, 1)))
  })
  return exported.toSorted()
}

/** Writes sample deals. Returns the deals as partners receive them. */
async function writeSample(): Promise<KnownDeal[]> {
  const records = fc
    .sample(anyDeal, { numRuns: 120, seed: 7 })
    .map((record) => ({ id: ++lastId, ...record }) as DealRecord)
  await writeRecords(database.db, tenant, records)
  return records.map((record) => JSON.parse(renderDeal(record)) as KnownDeal)
}

test('search and export find exactly the matching deals for random queries', async () => {
  const deals = await writeSample()
  await fc.assert(
    fc.asyncProperty(
      anyQuery,
      fc.constantFrom('id', 'lastModified', '-createDate'),
      fc.integer({ min: 1, max: 100 }),
      async (query, sort, limit) => {
        const values = readQuery(query)
        const expected = deals
          .filter((deal) => matches(deal, values))
          .map(({ id }) => String(id))
          .toSorted()
        expect(await searchAll({ ...values, sort, limit })).toEqual(expected)
        expect(await exportAll(filterOf(values, {}))).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
})

const one = (...values: string[]) => some(fc.constantFrom(...values).map((text) => [text]))

/** Parameters that both the search and the portal's list have. */
const shared = {
  q: one('garcia', 'ana ga'),
  stage: some(several('Sold', 'Lost', '')),
  pipeline: some(several('Solar', 'Roof')),
  state: some(several('Arizona', 'TX')),
  amount: one('100..', '..200.5', '100..30000'),
  has: one('permitSubmitted', 'createDate,permitSubmitted'),
  lacks: one('amount', 'createDate,amount'),
  yes: one('hasBattery', 'hasBattery,hasHoa'),
}
/** An arbitrary query of a view, by parameter. */
const anyView = fc.oneof(
  fc.record(shared),
  fc.record({
    ...shared,
    no: one('hasHoa'),
    is: one('lost', 'notLost', 'open', 'late'),
    createDate: one('2026-01-01..2026-02-01', '2026-02-01..'),
    battery: one('Powerwall'),
  }),
)

/** Returns the search query that is equivalent to a view, or null if the search has no equivalent. */
function queryOfView({ amount, yes, no, is, createDate, battery, ...query }: QueryParameters) {
  if ((no ?? is ?? createDate ?? battery) !== undefined || query.stage?.includes('')) return null
  const [amountMin, amountMax] = (amount?.[0] ?? '..')
    .split('..')
    .map((text) => (text === '' ? undefined : [text]))
  return { ...query, amountMin, amountMax, flag: yes }
}

test('search, portal list and export find the same deals for random views', async () => {
  const { db } = database
  await writeSample()
  const context = await signedIn({ db } as Services, { role: 'member', partnerId: tenant })
  const list = searchRouter.createCaller(context)
  const listAll = async (filter: DealFilter) => {
    const found: string[] = []
    for (let cursor: string | null = null; ;) {
      const { json } = (await list.find({ filter, fields: ['stage'], limit: 50, cursor })) as unknown as {
        json: string
      }
      found.push(...idsIn(json))
      const { next } = JSON.parse(json) as { next: string | null }
      if (next === null) return found.toSorted()
      cursor = next
    }
  }
  let meantTwice = 0
  await fc.assert(
    fc.asyncProperty(anyView, async (parameters) => {
      const query = textOf(parameters)
      const view = await saveView(db, tenant, context.actor.user.id, { name: 'A', query, isShared: true })
      const { filter } = readViewFilter(query)!
      const listed = await listAll(filter)
      expect(await exportAll(filter)).toEqual(listed)
      expect(await searchAll({ view: String(view), limit: 100 })).toEqual(listed)
      const same = queryOfView(parameters)
      if (same === null) return
      meantTwice++
      expect(await searchAll({ ...readQuery(same), limit: 100 })).toEqual(listed)
    }),
    { numRuns: 150 },
  )
  expect(meantTwice).toBeGreaterThan(0)
})

test('a page of very large deals ends early, and paging still returns each deal once', async () => {
  const { db } = database
  const { id } = (await insertPartner(db, 'large', 'Large'))!
  const large = Array.from({ length: 24 }, () => ({ id: ++lastId, notes: 'x '.repeat(250_000) }))
  await writeRecords(db, id, large)
  const walk = async (fields: ['id'] | undefined) => {
    const found: string[] = []
    let pages = 0
    for (let cursor: string | undefined; ;) {
      const json: string = await searchDeals(db, { tenant: id, zone: utc }, { limit: 100, cursor, fields })
      expect(json.length).toBeLessThan(eventPageMaxBytes + 600_000)
      pages++
      const page = JSON.parse(json) as { deals: { id: number }[]; next: string | null }
      found.push(...page.deals.map((deal) => String(deal.id)))
      if (page.next === null) return { found, pages }
      cursor = page.next
    }
  }
  const ids = large.map((deal) => String(deal.id))
  expect(await walk(undefined)).toEqual({ found: ids, pages: 2 })
  expect(await walk(['id'])).toEqual({ found: ids, pages: 1 })
})
