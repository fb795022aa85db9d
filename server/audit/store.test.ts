import { expect, test } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import { everyone } from '../access/actor.ts'
import type { Everyone, PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { type EntryFilter, type NewEntry, insertEntry, readAll, readEntries } from './store.ts'

const database = await openTestDatabase()

const makePartner = async () =>
  (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id as PartnerId
const write = (entry: Partial<NewEntry>) =>
  insertEntry(database.db, {
    action: 'token.created',
    subject: '',
    who: 'dana@a.example',
    partnerId: null,
    userId: null,
    address: null,
    ...entry,
  })
const read = async (
  tenant: PartnerId | Everyone,
  filter: EntryFilter = {},
  page = { behind: null as number | null, limit: 100 },
) => (await readEntries(database.db, tenant, filter, page)).entries

test('a partner reads only its own entries; the installer reads all entries with their partners', async () => {
  const [one, other] = [await makePartner(), await makePartner()]
  await write({ partnerId: one, subject: 'CRM' })
  await write({ partnerId: other, subject: 'other' })
  await write({ subject: 'internal' })
  expect(await read(one)).toEqual([
    {
      id: expect.any(Number),
      at: expect.any(Date),
      action: 'token.created',
      subject: 'CRM',
      who: 'dana@a.example',
      address: null,
      partner: 'A partner',
    },
  ])
  const all = await read(everyone, {}, { behind: null, limit: 3 })
  expect(all.map(({ subject, partner }) => [subject, partner])).toEqual([
    ['internal', null],
    ['other', 'A partner'],
    ['CRM', 'A partner'],
  ])
})

test('lists entries newest first, in pages, filtered by text, action and time', async () => {
  const partner = await makePartner()
  for (const subject of ['a', 'b', 'c']) await write({ partnerId: partner, subject })
  await write({ partnerId: partner, action: 'user.invited', subject: 'Nia_100%', who: 'Max@B.example' })
  const subjects = async (filter: EntryFilter = {}) =>
    (await read(partner, filter)).map(({ subject }) => subject)
  expect(await subjects()).toEqual(['Nia_100%', 'c', 'b', 'a'])
  const [, second] = await read(partner)
  expect((await read(partner, {}, { behind: second!.id, limit: 1 })).map(({ subject }) => subject)).toEqual([
    'b',
  ])
  expect(await subjects({ text: 'Created a token' })).toEqual(['c', 'b', 'a'])
  expect(await subjects({ text: 'max@b' })).toEqual(['Nia_100%'])
  expect(await subjects({ text: '_100%' })).toEqual(['Nia_100%'])
  expect(await subjects({ text: '%' })).toEqual(['Nia_100%'])
  expect(await subjects({ since: new Date(Date.now() + 60_000) })).toEqual([])
  expect(await subjects({ until: new Date(Date.now() - 60_000) })).toEqual([])
})

test('reads all entries in batches', async () => {
  const partner = await makePartner()
  await database.db
    .$client`insert into audit_entries (partner_id, action, subject, who) select ${partner}, 'token.created', n, 'x' from generate_series(1, 1201) n`
  const parts = []
  for await (const some of readAll(database.db, partner, {}))
    parts.push(some.map(({ subject }) => Number(subject)))
  expect(parts.map((part) => part.length)).toEqual([500, 500, 201])
  expect(parts.flat()).toEqual(Array.from({ length: 1201 }, (_, index) => 1201 - index))
})

test('truncates long texts to the stored length', async () => {
  const partner = await makePartner()
  await write({ partnerId: partner, subject: 'x'.repeat(10_000), who: 'y'.repeat(10_000) })
  expect((await read(partner))[0]).toMatchObject({ subject: 'x'.repeat(500), who: 'y'.repeat(500) })
})

test('keeps the names of removed actors', async () => {
  const partner = await makePartner()
  await write({ partnerId: partner, action: 'user.removed', userId: 999_999_999 })
  expect(await read(partner)).toMatchObject([{ action: 'user.removed', who: 'dana@a.example' }])
})
