import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { useDatabase } from '#e2e/use-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from './deal-writer.ts'
import { renderDeal } from './render.ts'
import { readDealNames, readCompared } from './row-store.ts'

const database = useDatabase()

test('returns the stored deal unless it equals the given text', async () => {
  const partnerId = (await insertPartner(database.db, 'p', 'A partner'))!.id
  const deals = [1n, 2n, 3n, 4n].map((id) => ({ id, notes: 'ä \\ "' }))
  await writeDeals(
    database.db,
    deals.map((record) => ({ record, partnerId })),
    { now: new Date(0), events: false },
  )
  const jsons = deals.map(renderDeal)
  const digestOf = (text: string) => hash('sha256', text)
  const compared = await readCompared(database.db.$client, [
    { id: 1n, digest: digestOf(jsons[0]!) },
    { id: 2n, digest: digestOf(jsons[0]!) },
    { id: 3n, digest: digestOf(`${jsons[2]} `) },
    { id: 4n, digest: null },
    { id: 5n, digest: digestOf(jsons[0]!) },
  ])
  expect([...compared].map(([id, { json }]) => [id, json])).toEqual([
    [1n, null],
    [2n, jsons[1]],
    [3n, jsons[2]],
    [4n, jsons[3]],
  ])
  expect(compared.get(1n)).toMatchObject({ partnerId, isCurrent: true })
})

test('returns deal names to their partner and the installer only', async () => {
  const { db } = database
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async (slug) => (await insertPartner(db, slug, slug))!.id as PartnerId),
  )
  const records = [
    { record: { id: 11n, dealname: 'Lopez, "Ana" – 7 kW', firstName: 'Ana' }, partnerId: one! },
    { record: { id: 9_223_372_036_854_775_807n, lastName: 'Vale' }, partnerId: other! },
  ]
  await writeDeals(db, records, { now: new Date(), events: false })
  const ids = [11n, 9_223_372_036_854_775_807n, 13n]
  const ana = { dealname: 'Lopez, "Ana" – 7 kW', firstName: 'Ana', lastName: null }
  const vale = { dealname: null, firstName: null, lastName: 'Vale' }
  expect(await readDealNames(db, one!, ids)).toEqual(new Map([[11n, ana]]))
  expect(await readDealNames(db, other!, ids)).toEqual(new Map([[ids[1], vale]]))
  expect((await readDealNames(db, everyone, ids)).size).toBe(2)
  expect(await readDealNames(db, one!, [])).toEqual(new Map())
})
