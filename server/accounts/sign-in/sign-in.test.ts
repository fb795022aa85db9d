import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessions, throttles, users } from '#db/schema/accounts.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { endAccess } from '../access-store.ts'
import { findSession, insertSession } from '../session-store.ts'
import { insertPartner } from '../store.ts'
import { authenticate } from './authenticate.ts'
import { createUser } from './create-user.ts'
import { countAttempt } from './throttle-store.ts'
import { limits } from './throttle.ts'

const password = 'correct horse battery'
const attemptsMax = limits['sign-in'].max
/** The outcome after too many attempts, with the time to wait. */
const isThrottled = { problem: 'throttled', retryAfterS: expect.any(Number) as number }
let database: TestDatabase
let partnerId: number

beforeAll(async () => {
  database = await createTestDatabase()
  partnerId = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id
})
afterAll(() => database.drop())

const makeUser = (email: string) =>
  createUser(database.db, { email, name: 'Ana', password, role: 'member', partnerId })

test('the right password signs in', async () => {
  const { id } = await makeUser('Right@sunline.example')
  expect(await authenticate(database.db, 'right@sunline.example', password)).toEqual({
    id,
    email: 'right@sunline.example',
    name: 'Ana',
    role: 'member',
    partnerId,
    sessionsEnded: 0,
  })
})

test('the password is stored as Argon2id with the configured cost', async () => {
  await makeUser('hash@sunline.example')
  const [user] = await database.db
    .select()
    .from(users)
    .where(sql`email = 'hash@sunline.example'`)
  expect(user!.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a wrong password, an unknown e-mail address and a user without a password look the same and take as long', async () => {
  await makeUser('wrong@sunline.example')
  await makeUser('without@sunline.example')
  await database.db
    .update(users)
    .set({ passwordHash: null })
    .where(sql`email = 'without@sunline.example'`)
  const spent = { 'wrong@sunline.example': 0, 'without@sunline.example': 0, 'nobody@sunline.example': 0 }
  for (let round = 0; round < 5; round++) {
    for (const email of Object.keys(spent) as (keyof typeof spent)[]) {
      // Measures processor time, which other processes do not affect.
      const start = process.cpuUsage()
      expect(await authenticate(database.db, email, 'not the password')).toBe('wrong')
      const { user, system } = process.cpuUsage(start)
      spent[email] += user + system
    }
  }
  for (const spentUs of Object.values(spent))
    expect(spentUs).toBeGreaterThan(spent['wrong@sunline.example'] / 2)
})

test('after 20 wrong attempts, even the right password is rejected, for known and unknown e-mail addresses', async () => {
  await makeUser('tried@sunline.example')
  for (const email of ['tried@sunline.example', 'unknown@sunline.example']) {
    const outcomes = await Promise.all(
      Array.from({ length: attemptsMax + 5 }, () => authenticate(database.db, email, 'not the password')),
    )
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(attemptsMax)
    expect(
      outcomes.filter((outcome) => typeof outcome === 'object' && 'retryAfterS' in outcome),
    ).toHaveLength(5)
    expect(await authenticate(database.db, email, password)).toEqual(isThrottled)
  }
})

test('an invalid e-mail address is neither counted nor accepted', async () => {
  const before = await database.db.$count(throttles)
  for (const text of [
    'reset tried@sunline.example',
    'no address',
    '',
    'a@b',
    'tried@sunline.example\0',
    `${'x'.repeat(300)}@sunline.example`,
  ]) {
    for (let attempts = 0; attempts < 3; attempts++)
      expect(await authenticate(database.db, text, password)).toBe('wrong')
  }
  expect(await database.db.$count(throttles)).toBe(before)
})

test('a known browser has its own count: it and other clients cannot lock each other out', async () => {
  const { id } = await makeUser('device@sunline.example')
  const guess = (device: string | null) =>
    authenticate(database.db, 'device@sunline.example', 'not the password', device)
  await Promise.all(Array.from({ length: attemptsMax }, () => guess(null)))
  expect(await guess(null)).toEqual(isThrottled)
  expect(await authenticate(database.db, 'device@sunline.example', password, 'mine')).toMatchObject({ id })
  const outcomes = await Promise.all(Array.from({ length: attemptsMax + 2 }, () => guess('stolen')))
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(attemptsMax)
  expect(await authenticate(database.db, 'device@sunline.example', password, 'stolen')).toEqual(isThrottled)
  expect(await authenticate(database.db, 'device@sunline.example', password, 'mine')).toMatchObject({ id })
  // When the owner signs in from a known browser, other people's attempts are still counted.
  expect(await guess(null)).toEqual(isThrottled)
})

test('failed attempts expire after 15 minutes', async () => {
  await makeUser('later@sunline.example')
  for (let attempts = 0; attempts <= attemptsMax; attempts++)
    await countAttempt(database.db, { purpose: 'sign-in', of: ['later@sunline.example'] })
  const outcome = (await authenticate(database.db, 'later@sunline.example', password)) as {
    retryAfterS: number
  }
  expect(outcome).toEqual(isThrottled)
  expect(outcome.retryAfterS).toBeGreaterThan(14 * 60)
  expect(outcome.retryAfterS).toBeLessThanOrEqual(15 * 60)
  await database.db.update(throttles).set({ endsAt: sql`ends_at - interval '15 minutes 1 second'` })
  expect(await authenticate(database.db, 'later@sunline.example', password)).toMatchObject({ name: 'Ana' })
})

test('a successful sign-in resets the failed attempts', async () => {
  await makeUser('typo@sunline.example')
  for (let round = 0; round < 3; round++) {
    for (let attempts = 0; attempts < attemptsMax - 1; attempts++)
      await countAttempt(database.db, { purpose: 'sign-in', of: ['typo@sunline.example'] })
    expect(await authenticate(database.db, 'typo@sunline.example', password)).toMatchObject({ name: 'Ana' })
  }
})

test('a session is valid until it expires or is ended', async () => {
  const { id } = await makeUser('session@sunline.example')
  const inAMinute = new Date(Date.now() + 60_000)
  await insertSession(database.db, { hash: 'a', userId: id, sessionsEnded: 0, expiresAt: inAMinute })
  await insertSession(database.db, {
    hash: 'b',
    userId: id,
    sessionsEnded: 0,
    expiresAt: new Date(Date.now() - 1),
  })
  expect(await findSession(database.db, 'a')).toMatchObject({
    user: { id, role: 'member', partnerId },
    partner: { id: partnerId, slug: 'sunline', name: 'Sunline' },
    expiresAt: inAMinute,
  })
  expect(await findSession(database.db, 'b')).toBeUndefined()
  await insertSession(database.db, { hash: 'c', userId: id, sessionsEnded: 0, expiresAt: inAMinute })
  expect(
    (await database.db.select({ hash: sessions.hash }).from(sessions)).map(({ hash }) => hash).toSorted(),
  ).toEqual(['a', 'c'])
  await endAccess(database.db, { sessionHash: 'a' })
  expect(await findSession(database.db, 'a')).toBeUndefined()
  expect(await findSession(database.db, 'c')).toBeDefined()
})

test("saving an existing user changes the user and ends all of the user's sessions", async () => {
  const before = await makeUser('again@sunline.example')
  await insertSession(database.db, {
    hash: 'again',
    userId: before.id,
    sessionsEnded: 0,
    expiresAt: new Date(Date.now() + 60_000),
  })
  const after = await createUser(database.db, {
    email: 'AGAIN@sunline.example',
    name: 'Anna',
    password: 'another long password',
    role: 'admin',
    partnerId,
  })
  expect(after).toEqual({
    id: before.id,
    email: 'again@sunline.example',
    name: 'Anna',
    role: 'admin',
    partnerId,
  })
  expect(await findSession(database.db, 'again')).toBeUndefined()
  expect(await authenticate(database.db, 'again@sunline.example', password)).toBe('wrong')
})

test('the database also enforces the rules', async () => {
  const user = {
    email: 'rules@sunline.example',
    name: 'Ana',
    passwordHash: '',
    role: 'member',
    partnerId,
  } as const
  for (const change of [
    { email: 'Rules@sunline.example' },
    { partnerId: null },
    { role: 'operator' },
    { role: 'owner' as 'admin' },
  ] as const) {
    await expect(database.db.insert(users).values({ ...user, ...change })).rejects.toThrow()
  }
})
