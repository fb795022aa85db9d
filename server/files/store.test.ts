import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { filesOf, findFile, findSignedFile, insertFile, readFiles } from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const makePartner = async () =>
  (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
let lastId = 0n
const give = (id: bigint, partnerId: number | null) =>
  writeDeals(database.db, [{ record: { id }, partnerId }], { now: new Date(0), events: false })

async function makeFile(dealId: bigint): Promise<string> {
  const id = crypto.randomUUID()
  expect(
    await insertFile(database.db, {
      id,
      dealId,
      name: 'agreement.pdf',
      type: 'application/pdf',
      sizeBytes: 5_000_000_000,
    }),
  ).toBeDefined()
  return id
}

test("a file is visible to the deal's partner and the installer's staff", async () => {
  const partnerId = await makePartner()
  const dealId = ++lastId
  await give(dealId, partnerId)
  const id = await makeFile(dealId)
  const file = {
    id,
    dealId,
    name: 'agreement.pdf',
    type: 'application/pdf',
    sizeBytes: 5_000_000_000,
    kind: 'other',
    storage: 'disk',
    storedAt: expect.any(Date) as Date,
    checksum: null,
    createdAt: expect.any(Date) as Date,
    threadPartnerId: null,
  }
  expect(await findFile(database.db, partnerId, id)).toEqual(file)
  expect(await findFile(database.db, everyone, id)).toEqual(file)
  expect(await findSignedFile(database.db, id)).toEqual(file)
})

test('a file of another partner or of an unassigned deal is not found', async () => {
  const [mine, other] = [await makePartner(), await makePartner()]
  const [dealId, unowned] = [++lastId, ++lastId]
  await give(dealId, mine)
  await give(unowned, null)
  const [id, unownedFile] = [await makeFile(dealId), await makeFile(unowned)]
  expect(await findFile(database.db, other, id)).toBeUndefined()
  expect(await findFile(database.db, mine, unownedFile)).toBeUndefined()
  expect(await findFile(database.db, everyone, unownedFile)).toBeDefined()
})

test('an attachment is visible only to the partner of its thread, while the deal is theirs', async () => {
  const [asker, other] = [await makePartner(), await makePartner()]
  const dealId = ++lastId
  await give(dealId, asker)
  const id = await makeFile(dealId)
  await database.db.$client`update files set thread_partner_id = ${asker} where id = ${id}`
  expect(await findFile(database.db, asker, id)).toBeDefined()
  expect(await readFiles(database.db, asker, dealId)).toEqual([])
  await give(dealId, other)
  for (const partner of [asker, other]) {
    expect(await findFile(database.db, partner, id)).toBeUndefined()
    expect(await readFiles(database.db, partner, dealId)).toEqual([])
  }
  expect(await findFile(database.db, everyone, id)).toBeDefined()
})

test('a file is not stored for a missing deal, and is removed with its deal', async () => {
  expect(
    await insertFile(database.db, {
      id: crypto.randomUUID(),
      dealId: 2n ** 62n,
      name: 'a',
      type: 'b',
      sizeBytes: 1,
    }),
  ).toBeUndefined()
  const partnerId = await makePartner()
  const dealId = ++lastId
  await give(dealId, partnerId)
  const ids = [await makeFile(dealId), await makeFile(dealId)]
  expect((await filesOf(database.db, dealId)).map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  await deleteDeal(database.db, dealId)
  expect(await filesOf(database.db, dealId)).toEqual([])
  for (const id of ids) expect(await findSignedFile(database.db, id)).toBeUndefined()
})

test('adding a file while its deal is removed keeps both or neither', async () => {
  const partnerId = await makePartner()
  for (let round = 0; round < 20; round++) {
    const dealId = ++lastId
    await give(dealId, partnerId)
    const id = crypto.randomUUID()
    await Promise.all([
      insertFile(database.db, { id, dealId, name: 'a', type: 'b', sizeBytes: 1 }),
      deleteDeal(database.db, dealId),
    ])
    expect(await findSignedFile(database.db, id)).toBeUndefined()
  }
})
