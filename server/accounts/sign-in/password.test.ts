import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { insertPartner } from '../store.ts'

// Counts calls of the real hash function.
const counts = vi.hoisted(() => ({ underway: 0, most: 0, begun: 0 }))
vi.mock('@node-rs/argon2', async (importActual) => {
  const actual = await importActual<typeof import('@node-rs/argon2')>()
  const counted =
    <Given extends unknown[], T>(work: (...given: Given) => Promise<T>) =>
    async (...given: Given) => {
      counts.begun++
      counts.most = Math.max(counts.most, ++counts.underway)
      return work(...given).finally(() => {
        counts.underway--
      })
    }
  return { ...actual, hash: counted(actual.hash), verify: counted(actual.verify) }
})

// Must be imported after the mock: test files share modules, and modules imported earlier would not be
// counted.
vi.resetModules()
const { ApiError } = await import('../../errors.ts')
const { createUser } = await import('./create-user.ts')
const { authenticate } = await import('./authenticate.ts')
const { RequestWork, withinWork } = await import('../../admission/slots.ts')
const { hashPassword, hashingMax, isPassword, waitingMax } = await import('./password.ts')

beforeEach(() => void Object.assign(counts, { most: 0, begun: 0 }))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a password matches in any Unicode form, even if hashed in the form that was typed', async () => {
  const typed = 'Nguyễn Thị Đào'
  const apart = typed.normalize('NFD')
  expect(await isPassword(typed, await hashPassword(apart))).toBe(true)
  const { hash } = await import('@node-rs/argon2')
  expect(await isPassword(apart, await hash(apart))).toBe(true)
  expect(await isPassword('Nguyen Thi Dao', await hashPassword(typed))).toBe(false)
})

const isRefusal = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' &&
  result.reason instanceof ApiError &&
  result.reason.code === 'SERVICE_UNAVAILABLE' &&
  result.reason.headers['Retry-After'] === '5'

test('limits concurrent hashes among 60 sign-ins, and rejects those that would wait too long', async () => {
  const { id: partnerId } = (await insertPartner(database.db, 'sunline', 'Sunline'))!
  const password = 'correct horse battery'
  const user = await createUser(database.db, {
    email: 'ana@sunline.example',
    name: 'Ana',
    password,
    role: 'member',
    partnerId,
  })
  // Each attempt comes from another browser, so that attempts are not throttled.
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      authenticate(database.db, user.email, password, `device ${index}`),
    ),
  )
  const refused = results.filter(isRefusal)
  expect(results.filter(({ status }) => status === 'rejected')).toEqual(refused)
  expect(refused.length).toBeGreaterThan(0)
  expect(results.filter((result) => result.status === 'fulfilled' && result.value === 'wrong')).toEqual([])
  expect(counts.most).toBe(hashingMax)
})

test('setting and checking passwords share one limit', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? hashPassword('a') : isPassword('a', undefined),
    ),
  )
  expect(results.filter(isRefusal).length).toBeGreaterThanOrEqual(60 - hashingMax - waitingMax)
  expect(counts).toMatchObject({ most: hashingMax, underway: 0 })
})

test('skips hashing for a client that disconnected while waiting', async () => {
  const work = new RequestWork({ kind: 'anonymous', group: 'nobody', member: '203.0.113.1' })
  const held = Array.from({ length: hashingMax }, () => hashPassword('a'))
  const hashOnce = () => withinWork(work, () => hashPassword('b'))
  const waiting = hashOnce()
  work.abandon()
  await expect(waiting).rejects.toThrow(ApiError)
  await expect(hashOnce()).rejects.toThrow(ApiError)
  await Promise.all(held)
  expect(counts.begun).toBe(hashingMax)
})
