import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import type { DealRecord } from '../deals/deal.ts'
import { parseDeal } from '../deals/render.ts'
import { similarWordsIn } from '../deals/search-text.ts'
import { utc } from '../values/zone.ts'
import { findSimilar } from './similar-store.ts'
import { findDeals } from './store.ts'
import { type DealFilter, initialSort } from './wire.ts'

const database = useDatabase()
let [ours, theirs] = [0, 0] as PartnerId[]

beforeAll(async () => {
  const makePartner = async (slug: string) => (await insertPartner(database.db, slug, slug))!.id as PartnerId
  ;[ours, theirs] = [await makePartner('ours'), await makePartner('theirs')]
  const write = (records: DealRecord[], partnerId: PartnerId) => writeRecords(database.db, partnerId, records)
  await write(
    [
      { id: 1n, firstName: 'Ana', lastName: 'Lopez', city: 'Phoenix', state: 'AZ' },
      { id: 2n, firstName: 'Ben', lastName: 'Lopez', city: 'Tucson', state: 'NV' },
      { id: 3n, firstName: 'Ana', lastName: 'Lopes', city: 'Mesa' },
      { id: 4n, firstName: 'Ana', lastName: 'Loper', streetAddress: '7 Main St' },
      { id: 5n, dealname: 'Nobody' },
    ],
    ours,
  )
  await write([{ id: 11n, firstName: 'Zelda', lastName: 'Lopex' }], theirs)
})

/** Returns similar deals and exact matches. */
async function searched(search: string, filter: DealFilter = {}, tenant: TenantScope = ours!) {
  const query = { tenant, filter: { ...filter, search }, zone: utc }
  const { deals, similarWords } = await findSimilar(database.db, query, initialSort, 50)
  const { deals: exact } = await findDeals(database.db, query, initialSort, null, 50)
  const parsed = deals.map(({ json }) => parseDeal(json))
  return {
    exact: exact.map(({ json }) => Number(parseDeal(json).id)).toSorted(),
    similar: parsed.map(({ id }) => Number(id)).toSorted(),
    words: similarWordsIn(parsed, similarWords).toSorted(),
  }
}

test('similar deals have one typo in a word, and exclude exact matches', async () => {
  expect(await searched('lopes')).toEqual({ exact: [3], similar: [1, 2, 4], words: ['loper', 'lopez'] })
  expect(await searched('ana lopes')).toEqual({ exact: [3], similar: [1, 4], words: ['loper', 'lopez'] })
  expect(await searched('lpoez, ben')).toEqual({ exact: [], similar: [2], words: ['lopez'] })
  expect(await searched('phonix lopes')).toEqual({ exact: [], similar: [1], words: ['lopez', 'phoenix'] })
})

test('a word may differ by both spelling and a typo', async () => {
  expect(await searched('7 main straet')).toEqual({ exact: [], similar: [4], words: [] })
})

test('other filters also apply to similar deals', async () => {
  expect(await searched('lopes', { states: ['NV'] })).toMatchObject({ similar: [2], words: ['lopez'] })
})

test('suggests no words of another partner', async () => {
  expect(await searched('lopxe')).toEqual({ exact: [], similar: [], words: [] })
  expect(await searched('lopxe', {}, theirs!)).toMatchObject({ similar: [11], words: ['lopex'] })
  expect(await searched('lopxe', {}, everyone)).toMatchObject({ similar: [11] })
})

test('a search without words or similar words finds no similar deals', async () => {
  for (const search of ['zanzibar', '', '42', 'lopez@example.com', "x' | 'y"])
    expect(await searched(search)).toMatchObject({ similar: [] })
})

test('takes common words from the statistics', async () => {
  await database.db.$client`analyze deals`
  expect(await searched('lopes')).toMatchObject({ similar: [1, 2, 4], words: ['loper', 'lopez'] })
})
