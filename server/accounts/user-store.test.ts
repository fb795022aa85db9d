import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { partners, users } from '#db/schema/accounts.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { findSession, insertSession } from './session-store.ts'
import { createUser } from './sign-in/create-user.ts'
import { admit } from './sign-in/provider.ts'
import { insertPartner } from './store.ts'
import { deleteUser, setRole } from './team/store.ts'
import { findUser, listReaders, recordVisit, readLastVisit } from './user-store.ts'

let database: TestDatabase
let partnerId: number

beforeAll(async () => {
  database = await createTestDatabase()
  partnerId = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id
})
afterAll(() => database.drop())

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
  await insertSession(database.db, {
    hash: 'visit',
    userId: id,
    sessionsEnded: 0,
    expiresAt: new Date(Date.now() + 60_000),
  })
  const isNews = async () => (await findSession(database.db, 'visit'))!.visitIsNews
  expect(await isNews()).toBe(true)
  await recordVisit(database.db, id)
  const { seenAt } = await visitsOf(id)
  expect(await isNews()).toBe(false)
  await recordVisit(database.db, id)
  expect((await visitsOf(id)).seenAt).toEqual(seenAt)
  await wait(id, '61 seconds')
  expect(await isNews()).toBe(true)
})

const at = (issuer: string) => ({ issuer, trustEmail: null })

test.each([true, false])(
  'the first provider sign-in requires an invited, verified e-mail address, later ones only the subject; concurrent: %s',
  async (together) => {
    const { email } = await makeUser()
    const issuer = 'https://login.example'
    const subject = `subject of ${email}`
    const claims = { email: email.toUpperCase(), email_verified: true }
    for (const unverified of [
      { ...claims, email_verified: false },
      { ...claims, email_verified: 'TRUE ' },
      { email },
      { email_verified: true },
      { email: { toString: () => email }, email_verified: 1 },
      undefined,
    ]) {
      expect(await admit(database.db, at(issuer), subject, unverified)).toBe('unverified')
    }
    expect(
      await admit(database.db, at(issuer), subject, {
        email: 'nobody@sunline.example',
        email_verified: true,
      }),
    ).toBe('uninvited')
    const rounds = together ? 1 : 4
    for (let round = 0; round < rounds; round++)
      expect(
        await Promise.all(
          Array.from({ length: 4 / rounds }, () => admit(database.db, at(issuer), subject, claims)),
        ),
      ).toEqual(Array(4 / rounds).fill(null))
    expect(await admit(database.db, at(issuer), subject, undefined)).toBeNull()
    expect(await admit(database.db, at(issuer), 'somebody to whom the address has passed', claims)).toBe(
      'uninvited',
    )
    expect(await admit(database.db, at('https://another.example'), 'another subject', claims)).toBeNull()
  },
)

test("another partner's user is neither changed nor removed", async () => {
  const other = (await insertPartner(database.db, crypto.randomUUID(), 'Other'))!
  const { id, email, role } = await makeUser()
  await database.db.transaction((tx) => setRole(tx, other.id, id, role === 'admin' ? 'member' : 'admin'))
  await deleteUser(database.db, other.id, id)
  expect(await findUser(database.db, email)).toMatchObject({ id, role })
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
