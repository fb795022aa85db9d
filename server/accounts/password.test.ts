import { beforeEach, expect, test, vi } from 'vitest'

// Counts calls of the real hash function.
const counts = vi.hoisted(() => ({ underway: 0, most: 0, begun: 0 }))
vi.mock('@node-rs/argon2', async (importActual) => {
  const actual = await importActual<typeof import('@node-rs/argon2')>()
  const counted =
    <Given extends unknown[], T>(work: (...given: Given) => Promise<T>) =>
    async (...parameters: Given) => {
      counts.begun++
      counts.most = Math.max(counts.most, ++counts.underway)
      return work(...parameters).finally(() => {
        counts.underway--
      })
    }
  return { ...actual, hash: counted(actual.hash), verify: counted(actual.verify) }
})

// Must be imported after the mock: test files share modules, and modules imported earlier would not be
// counted.
vi.resetModules()
const { ApiError } = await import('../errors.ts')
const { RequestWork, withinWork } = await import('../admission/slots.ts')
const { hashPassword, hashingMax, isPassword, waitingMax } = await import('./password.ts')

beforeEach(() => void Object.assign(counts, { most: 0, begun: 0 }))

test('a password matches in any Unicode form, even if hashed in the form that was typed', async () => {
  const typed = 'Nguyễn Thị Đào'
  const apart = typed.normalize('NFD')
  expect(await isPassword(typed, await hashPassword(apart))).toBe(true)
  const { hash } = await import('@node-rs/argon2')
  expect(await isPassword(apart, await hash(apart))).toBe(true)
  expect(await isPassword('Nguyen Thi Dao', await hashPassword(typed))).toBe(false)
})

test('setting and checking passwords share one limit, beyond which they are rejected', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? hashPassword('a') : isPassword('a', undefined),
    ),
  )
  const rejected = results.filter(({ status }) => status === 'rejected')
  expect(rejected.length).toBeGreaterThanOrEqual(60 - hashingMax - waitingMax)
  for (const { reason } of rejected as PromiseRejectedResult[])
    expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '5' } })
  expect(counts).toMatchObject({ most: hashingMax, underway: 0 })
})

test('skips hashing for a client that disconnected while waiting', async () => {
  const work = new RequestWork({ kind: 'anonymous', group: 'nobody', member: '203.0.113.1' })
  const hashes = Array.from({ length: hashingMax }, () => hashPassword('a'))
  const hashOnce = () => withinWork(work, () => hashPassword('b'))
  const waiting = hashOnce()
  work.abandon()
  await expect(waiting).rejects.toThrow(ApiError)
  await expect(hashOnce()).rejects.toThrow(ApiError)
  await Promise.all(hashes)
  expect(counts.begun).toBe(hashingMax)
})
