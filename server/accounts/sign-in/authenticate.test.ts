import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { insertPartner } from '../store.ts'
import { recordFailure } from './authenticate.ts'
import { createUser } from './create-user.ts'
import { isRecorded } from './throttle.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('records failed sign-ins of a user up to the limit, then at powers of ten, even if concurrent', async () => {
  const { id: partnerId } = (await insertPartner(database.db, 'sunline', 'Sunline'))!
  const { id } = await createUser(database.db, {
    email: 'ana@sunline.example',
    name: 'Ana',
    password: 'correct horse battery',
    role: 'member',
    partnerId,
  })
  const recorded: number[] = []
  const fail = (typed: string) =>
    recordFailure(database.db, typed, async (user, attempts) => {
      expect(user).toMatchObject({ id, email: 'ana@sunline.example', partnerId })
      recorded.push(attempts)
    })
  await Promise.all(Array.from({ length: 120 }, () => fail(' Ana@Sunline.example')))
  expect(recorded.toSorted((a, b) => a - b)).toEqual([
    ...Array.from({ length: 21 }, (_, index) => index + 1),
    100,
  ])
})

test('records 26 of a million failures within 15 minutes', () => {
  let count = 0
  for (let attempts = 1; attempts <= 1_000_000; attempts++) if (isRecorded(attempts)) count++
  expect(count).toBe(26)
})

test('records nothing for unknown e-mail addresses', async () => {
  for (const typed of ['nobody@sunline.example', 'my password', '', '\0'])
    await recordFailure(database.db, typed, async () => expect.fail('was recorded'))
})
