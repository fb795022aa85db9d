import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { issueToken } from './issue-token.ts'
import { internalScopes, scopes } from './scope.ts'
import { labelToken, listTokens, recordTokenUse, replaceToken, markRevoked } from './store.ts'
import { hashToken, isTokenForm, displayPrefix } from './token.ts'
import { readDays } from './usage-store.ts'

let database: TestDatabase
let partner: { id: PartnerId; slug: string }
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  partner = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!
})

const make = (order: Partial<Parameters<typeof issueToken>[1]> = {}) =>
  issueToken(database.db, { partnerId: partner.id, name: 'test', expiresAt: null, ...order })
const tokenOf = async (id: number) => (await listTokens(database.db)).find((token) => token.id === id)!

describe('a new token', () => {
  test('is returned once, and the database has only its hash and first characters', async () => {
    const { id, token } = await make()
    expect(isTokenForm(token)).toBe(true)
    const [row] = await database.db.$client<
      { row: string; hash: string }[]
    >`select tokens::text as row, hash from tokens where id = ${id}`
    expect(row!.hash).toBe(hashToken(token))
    expect(row!.row).toContain(displayPrefix(token))
    expect(row!.row).not.toContain(token.slice(0, 10))
    expect(row!.row).not.toContain(token.slice(-10))
  })

  test('has all scopes of its kind, or the requested scopes', async () => {
    expect((await tokenOf((await make()).id)).scopes).toEqual([...scopes])
    expect((await tokenOf((await make({ partnerId: null })).id)).scopes).toEqual([...internalScopes])
    expect((await tokenOf((await make({ scopes: ['deals:read'] })).id)).scopes).toEqual(['deals:read'])
  })

  test('is unique', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => make()))
    expect(new Set(made.map(({ token }) => token)).size).toBe(20)
  })

  test('is not created for an unknown partner', async () => {
    await expect(make({ partnerId: 2_000_000_000 as PartnerId })).rejects.toThrow()
  })
})

test('tokens are listed in creation order, with the partner, and never with secrets', async () => {
  const expiresAt = new Date('2027-01-01T00:00:00Z')
  const [mine, staff] = [
    await make({ name: 'CRM', expiresAt }),
    await make({ partnerId: null, name: 'Staff' }),
  ]
  const listed = (await listTokens(database.db)).filter(({ id }) => id === mine.id || id === staff.id)
  const unused = {
    createdAt: expect.any(Date),
    lastUsedAt: null,
    lastUsedFrom: null,
    lastUsedBy: null,
    revokedAt: null,
    replacedById: null,
    isSheet: false,
    isSuspended: false,
  }
  expect(listed).toEqual([
    {
      ...unused,
      id: mine.id,
      partner: partner.slug,
      name: 'CRM',
      prefix: displayPrefix(mine.token),
      scopes: [...scopes],
      expiresAt,
    },
    {
      ...unused,
      id: staff.id,
      partner: null,
      name: 'Staff',
      prefix: displayPrefix(staff.token),
      scopes: [...internalScopes],
      expiresAt: null,
    },
  ])
})

describe('revocation of a token', () => {
  test('takes effect immediately, keeps the first time if repeated, and affects no other token', async () => {
    const [one, other] = [await make(), await make()]
    expect(await markRevoked(database.db, partner.id, one.id)).toBe(true)
    const { revokedAt } = await tokenOf(one.id)
    expect(revokedAt).toBeInstanceOf(Date)
    expect(await markRevoked(database.db, partner.id, one.id)).toBe(true)
    expect((await tokenOf(one.id)).revokedAt).toEqual(revokedAt)
    expect((await tokenOf(other.id)).revokedAt).toBeNull()
  })

  test('a missing token is reported', async () => {
    expect(await markRevoked(database.db, partner.id, 2_000_000_000)).toBe(false)
  })
})

describe('the time of last use', () => {
  const lastUsed = async (id: number) => (await tokenOf(id)).lastUsedAt

  test('is written at most once a minute', async () => {
    const { id } = await make()
    await recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' })
    const first = await lastUsed(id)
    expect(Math.abs(first!.getTime() - Date.now())).toBeLessThan(60_000)
    await recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' })
    expect(await lastUsed(id)).toEqual(first)
    await database.db.$client`update tokens set last_used_at = now() - interval '59 seconds' where id = ${id}`
    const recent = await lastUsed(id)
    await recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' })
    expect(await lastUsed(id)).toEqual(recent)
    await database.db.$client`update tokens set last_used_at = now() - interval '61 seconds' where id = ${id}`
    await recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' })
    expect((await lastUsed(id))!.getTime()).toBeGreaterThan(recent!.getTime())
  })

  test('is written once for many concurrent requests', async () => {
    const { id } = await make()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' }),
      ),
    )
    const [row] = await database.db.$client<{ xmin: string }[]>`select xmin from tokens where id = ${id}`
    await Promise.all(
      Array.from({ length: 20 }, () =>
        recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' }),
      ),
    )
    const [later] = await database.db.$client<{ xmin: string }[]>`select xmin from tokens where id = ${id}`
    expect(later).toEqual(row)
  })
})

test("another partner's token is neither changed nor counted", async () => {
  const other = (await insertPartner(database.db, crypto.randomUUID(), 'Other'))!
  const { id } = await make()
  await database.db
    .$client`insert into token_days (token_id, day, requests, errors) values (${id}, current_date, 5, 1)`
  expect(await markRevoked(database.db, other.id, id)).toBe(false)
  await database.db.transaction((tx) =>
    replaceToken(tx, other.id, id, { replacedById: id, endsAt: new Date() }),
  )
  expect(await tokenOf(id)).toMatchObject({ revokedAt: null, replacedById: null, expiresAt: null })
  expect(await readDays(database.db, other.id, id, 1)).toMatchObject([{ requests: 0, errors: 0 }])
  expect(await readDays(database.db, partner.id, id, 1)).toMatchObject([{ requests: 5, errors: 1 }])
  await expect(labelToken(database.db, other.id, id)).rejects.toThrow()
})
