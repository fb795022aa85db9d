import { beforeEach, expect, test } from 'vitest'
import { users } from '#db/schema/accounts.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { spend } from './limit-store.ts'
import { limits, maxOf } from './limit.ts'
import type { Owner } from './partner.ts'
import { insertPartner } from './store.ts'

const database = await openTestDatabase()
let partnerId: Owner
beforeEach(async () => {
  partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
  // Ensures that the test runs within a single minute and day.
  await untilEarlyInMinute()
})

async function untilEarlyInMinute(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < 8000) await new Promise((resolve) => setTimeout(resolve, leftMs + 100))
}

async function addUser(owner: Owner): Promise<number> {
  const [user] = await database.db
    .insert(users)
    .values({
      email: `${crypto.randomUUID()}@example.com`,
      name: 'Ana',
      role: owner === null ? 'operator' : 'member',
      partnerId: owner,
    })
    .returning({ id: users.id })
  return user!.id
}

const send = (userId: number, owner: Owner = partnerId, amount = 1) =>
  database.db
    .transaction((tx) => spend(tx, { userId, partnerId: owner }, 'messages', amount))
    .then(
      () => 'sent',
      ({ code, message, headers }: { code: string; message: string; headers: Record<string, string> }) => ({
        code,
        message,
        waitS: Number(headers['Retry-After']),
      }),
    )

const sentOf = (outcomes: unknown[]) => outcomes.filter((outcome) => outcome === 'sent').length

test('sends exactly as many of 150 concurrent messages as a member is allowed', async () => {
  const ana = await addUser(partnerId)
  const outcomes = await Promise.all(Array.from({ length: 150 }, () => send(ana)))
  expect(sentOf(outcomes)).toBe(limits.messages.perMember)
  const refused = outcomes.find((outcome) => outcome !== 'sent') as {
    code: string
    message: string
    waitS: number
  }
  expect(refused).toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    message: 'You can send at most 30 messages a minute. Try again later.',
  })
  expect(refused.waitS).toBeGreaterThan(0)
  expect(refused.waitS).toBeLessThanOrEqual(60)
})

test('members of a partner share a limit that does not affect other partners', async () => {
  const team = await Promise.all(Array.from({ length: 6 }, () => addUser(partnerId)))
  const outcomes = await Promise.all(team.flatMap((user) => Array.from({ length: 30 }, () => send(user))))
  expect(sentOf(outcomes)).toBe(limits.messages.perPartner)
  expect(outcomes).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('Your team can send') }),
  )
  const other = (await insertPartner(database.db, crypto.randomUUID(), 'Another one'))!.id
  expect(await send(await addUser(other), other)).toBe('sent')
})

test("the installer's staff have their own limits, and counts reset every minute", async () => {
  const [operator, ana] = [await addUser(null), await addUser(partnerId)]
  expect(await send(operator, null, maxOf('messages', true, true))).toBe('sent')
  expect(await send(operator, null)).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  expect(await send(ana, partnerId, limits.messages.perMember)).toBe('sent')
  expect(await send(ana)).toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  await database.db.$client`update spending set began_at = began_at - interval '1 minute'`
  expect(await send(ana)).toBe('sent')
  expect(await send(operator, null)).toBe('sent')
})
