import { beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '#e2e/open-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { issueToken } from './issue-token.ts'
import { internalScopes, scopes } from './policy.ts'
import { listTokens, markRevoked, recordTokenUse } from './store.ts'
import { hashToken, isTokenForm, displayPrefix } from './token.ts'

const database = await openTestDatabase()
let partner: { id: PartnerId; slug: string }
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
})

test('the time of last use is written at most once a minute', async () => {
  const { id } = await make()
  const lastUsed = async () => (await tokenOf(id)).lastUsedAt!
  const use = () => recordTokenUse(database.db, id, { address: '203.0.114.9', agent: 'curl/8' })
  await use()
  const first = await lastUsed()
  expect(Math.abs(first.getTime() - Date.now())).toBeLessThan(60_000)
  await database.db.$client`update tokens set last_used_at = now() - interval '59 seconds' where id = ${id}`
  const recent = await lastUsed()
  await use()
  expect(await lastUsed()).toEqual(recent)
  await database.db.$client`update tokens set last_used_at = now() - interval '61 seconds' where id = ${id}`
  await use()
  expect((await lastUsed()).getTime()).toBeGreaterThan(recent.getTime())
})

test("another partner's token is not revoked", async () => {
  const { id: otherId } = (await insertPartner(database.db, crypto.randomUUID(), 'Other'))!
  const { id } = await make()
  expect(await markRevoked(database.db, otherId, id)).toBe(false)
  expect(await tokenOf(id)).toMatchObject({ revokedAt: null })
})
