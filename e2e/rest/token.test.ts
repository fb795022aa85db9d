import { eq, sql } from 'drizzle-orm'
import { tokens } from '#db/schema/tokens.ts'
import { issueToken } from '#server/tokens/issue-token.ts'
import { type Scope, scopes } from '#server/tokens/scope.ts'
import { markRevoked } from '#server/tokens/store.ts'
import { hashToken } from '#server/tokens/token.ts'
import { ask, expectError, expectUnauthorized } from './client.ts'
import { expect, test } from './rest-test.ts'

const scopeOf: Record<string, Scope> = {
  'GET /api/deals': 'deals:read',
  'GET /api/deals/1': 'deals:read',
  'GET /api/deals/1/messages': 'deals:read',
  'GET /api/events': 'deals:read',
  'GET /api/files/a': 'files:read',
  'GET /api/insight/flow': 'insight:read',
  'GET /api/insight/money': 'insight:read',
  'GET /api/webhook': 'webhooks:read',
  'POST /api/webhook': 'webhooks:write',
}

for (const [operation, scope] of Object.entries(scopeOf)) {
  test(`${operation} rejects a token with every scope but ${scope}, and needs no other scope`, async ({
    system,
  }) => {
    const others = await system.makePartner({ scopes: scopes.filter((other) => other !== scope) })
    const refused = await ask(system, operation, {
      token: others.token,
      ...(operation.startsWith('POST') ? { json: { createURL: null } } : {}),
    })
    expectError(refused, 403, 'FORBIDDEN', `This needs the scope ${scope}`)
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    const alone = await system.makePartner({ scopes: [scope] })
    const allowed = await ask(system, operation, {
      token: alone.token,
      ...(operation.startsWith('POST') ? { json: { createURL: null } } : {}),
    })
    expect(allowed.status).toBe(/\/(?:1|a|1\/messages)$/.test(operation) ? 404 : 200)
  })
}

test('a token without the scope is rejected before the rest of the request is read', async ({ system }) => {
  const { token } = await system.makePartner({ scopes: ['webhooks:read'] })
  for (const request of [
    'GET /api/deals?page=0',
    'GET /api/deals/abc',
    'GET /api/files/%20',
    'GET /api/events?limit=0',
  ]) {
    expect((await ask(system, request, { token })).json.code, request).toBe('FORBIDDEN')
  }
  for (const [type, body] of [
    ['application/json', '{"createURL":'],
    ['application/json', 'null'],
    ['text/plain', 'x'],
    ['application/json', ' '.repeat(1024 * 1024 + 1)],
  ] as const) {
    const answer = await ask(system, 'POST /api/webhook', { token, body, headers: { 'content-type': type } })
    expectError(answer, 403, 'FORBIDDEN', 'This needs the scope webhooks:write')
  }
})

test('a revoked token is rejected from the next request on, and no other is', async ({ system }) => {
  const { id: partnerId, token } = await system.makePartner()
  const another = await issueToken(system.db, { partnerId, name: 'another', expiresAt: null })
  expect((await ask(system, 'GET /api/deals', { token: another.token })).status).toBe(200)
  await markRevoked(system.db, partnerId, another.id)
  for (const operation of ['GET /api/deals', 'GET /api/webhook', 'GET /api/nothing'])
    expectUnauthorized(await ask(system, operation, { token: another.token }), 'a bad token')
  expect((await ask(system, 'GET /api/deals', { token })).status).toBe(200)
})

test('a token is rejected from the moment it expires', async ({ system }) => {
  const { id } = await system.makePartner()
  const expiresAt = new Date(Date.now() + 3_600_000)
  const { id: tokenId, token } = await issueToken(system.db, { partnerId: id, name: 'short', expiresAt })
  expect((await ask(system, 'GET /api/deals', { token })).status).toBe(200)
  await system.db
    .update(tokens)
    .set({ expiresAt: sql`now()` })
    .where(eq(tokens.id, tokenId))
  expectUnauthorized(await ask(system, 'GET /api/deals', { token }), 'a bad token')
})

test('the use of a token is recorded, at most once a minute', async ({ system }) => {
  const { token } = await system.makePartner()
  const ofToken = eq(tokens.hash, hashToken(token))
  const lastUsed = async () =>
    (await system.db.select({ at: tokens.lastUsedAt }).from(tokens).where(ofToken))[0]!.at?.getTime() ?? null
  await ask(system, 'GET /api/deals', { token })
  await expect.poll(lastUsed).not.toBeNull()
  const first = (await lastUsed())!
  await ask(system, 'GET /api/deals', { token })
  await system.db
    .update(tokens)
    .set({ lastUsedAt: sql`last_used_at - interval '59 seconds'` })
    .where(ofToken)
  const back = await lastUsed()
  expect(back).toBe(first - 59_000)
  await system.db
    .update(tokens)
    .set({ lastUsedAt: sql`now() - interval '61 seconds'` })
    .where(ofToken)
  await ask(system, 'GET /api/deals', { token })
  await expect.poll(lastUsed).toBeGreaterThanOrEqual(first)
})

test('the token itself is not stored in the database', async ({ system }) => {
  const { token } = await system.makePartner()
  const [row] = await system.db
    .select()
    .from(tokens)
    .where(eq(tokens.hash, hashToken(token)))
  expect(token).toMatch(/^pd_[0-9A-Za-z]{36}$/)
  expect(JSON.stringify(row)).not.toContain(token.slice(0, 12))
})

test('an internal token belongs to no partner: webhook URLs and events are refused', async ({ system }) => {
  const token = await system.makeInternalToken()
  expect((await ask(system, 'GET /api/deals', { token })).status).toBe(200)
  expectError(
    await ask(system, 'GET /api/webhook', { token }),
    403,
    'FORBIDDEN',
    'This needs the scope webhooks:read',
  )
  expectError(
    await ask(system, 'POST /api/webhook', { token, json: { createURL: null } }),
    403,
    'FORBIDDEN',
    'This needs the scope webhooks:write',
  )
  expectError(
    await ask(system, 'GET /api/events', { token }),
    403,
    'FORBIDDEN',
    'Only partners can do this; an internal token belongs to none',
  )
})
