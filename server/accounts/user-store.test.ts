import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { partners, users } from '#db/schema/accounts.ts'
import { createUser } from '#e2e/create-user.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { beginSession } from '#e2e/signed-in.ts'
import { findSession } from './session-store.ts'
import { insertPartner } from './store.ts'
import { listReaders, readLastVisit, recordVisit } from './user-store.ts'

const database = await openTestDatabase()
const partnerId = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id

let lastUser = 0
const makeUser = () =>
  createUser(database.db, {
    email: `user${++lastUser}@sunline.example`,
    name: 'Ana',
    password: 'correct horse battery',
    role: 'member',
    partnerId,
  })

/** Moves a user's recorded visits into the past. */
const wait = (id: number, span: string) =>
  database.db
    .update(users)
    .set({ seenAt: sql`seen_at - ${span}::interval`, lastVisitAt: sql`last_visit_at - ${span}::interval` })
    .where(sql`id = ${id}`)

async function visitsOf(id: number) {
  const [row] = await database.db
    .select({ seenAt: users.seenAt, lastVisitAt: users.lastVisitAt })
    .from(users)
    .where(sql`id = ${id}`)
  return row!
}

test('a visit continues during half an hour of activity, and the end of the previous visit is kept', async () => {
  const { id } = await makeUser()
  expect(await readLastVisit(database.db, id)).toBeNull()
  await recordVisit(database.db, id)
  expect(await visitsOf(id)).toEqual({ seenAt: expect.any(Date) as Date, lastVisitAt: null })
  await wait(id, '29 minutes')
  await recordVisit(database.db, id)
  expect((await visitsOf(id)).lastVisitAt).toBeNull()
  await wait(id, '30 minutes')
  const { seenAt: ended } = await visitsOf(id)
  // The result is the same before and after the new visit is recorded.
  expect(await readLastVisit(database.db, id)).toEqual(ended)
  await Promise.all(Array.from({ length: 5 }, () => recordVisit(database.db, id)))
  expect(await readLastVisit(database.db, id)).toEqual(ended)
  await wait(id, '10 minutes')
  await recordVisit(database.db, id)
  expect((await readLastVisit(database.db, id))!.getTime()).toBe(ended!.getTime() - 600_000)
})

test('records a visit at most once a minute, and the session shows when it must be recorded', async () => {
  const { id } = await makeUser()
  const hash = (await beginSession(database.db, id))!
  const isNews = async () => (await findSession(database.db, hash))!.visitIsNews
  expect(await isNews()).toBe(true)
  await recordVisit(database.db, id)
  const { seenAt } = await visitsOf(id)
  expect(await isNews()).toBe(false)
  await recordVisit(database.db, id)
  expect((await visitsOf(id)).seenAt).toEqual(seenAt)
  await wait(id, '61 seconds')
  expect(await isNews()).toBe(true)
})

test('saving a user again changes the same user', async () => {
  const { id, email, ...user } = await makeUser()
  const changed = { ...user, name: 'Anna', role: 'admin', password: 'another long password' } as const
  const { password: _, ...saved } = changed
  expect(await createUser(database.db, { ...changed, email: email.toUpperCase() })).toEqual({
    id,
    email,
    ...saved,
  })
})

test('recent readers are users who are new or were recently active, each list and time zone once', async () => {
  const { id } = (await insertPartner(database.db, 'bright-roof', 'Bright Roof'))!
  const make = async (role: 'member' | 'operator', timeZone: string | null, seenAt: Date | null) => {
    const { id: userId } = await createUser(database.db, {
      email: `reader${++lastUser}@bright-roof.example`,
      name: 'Ana',
      password: 'correct horse battery',
      role,
      partnerId: role === 'operator' ? null : id,
    })
    await database.db
      .update(users)
      .set({ timeZone, seenAt })
      .where(sql`id = ${userId}`)
  }
  const since = new Date(Date.now() - 7 * 86_400_000)
  await make('member', null, null)
  await make('member', null, new Date())
  await make('member', 'America/Denver', new Date())
  await make('member', 'America/Chicago', new Date(since.getTime() - 1000))
  await make('operator', 'America/Phoenix', new Date())
  await database.db
    .update(partners)
    .set({ timeZone: 'America/New_York' })
    .where(sql`id = ${id}`)
  const readers = await listReaders(database.db, since)
  const found = readers
    .filter(({ owner }) => owner !== partnerId)
    .map(({ owner, zone }) => `${owner} ${zone}`)
  expect(found.toSorted()).toEqual(
    [`null America/Phoenix`, `${id} America/Denver`, `${id} America/New_York`].toSorted(),
  )
})
