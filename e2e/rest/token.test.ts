import { type Scope, scopes } from '#server/tokens/policy.ts'
import { ask, expectError } from './client.ts'
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
  'POST /api/events/reconcile': 'deals:read',
  'POST /api/webhook': 'webhooks:write',
}

for (const [operation, scope] of Object.entries(scopeOf)) {
  test(`${operation} requires exactly the scope ${scope}`, async ({ system }) => {
    const others = await system.makePartner({ scopes: scopes.filter((other) => other !== scope) })
    const refused = await ask(system, operation, {
      token: others.token,
      ...(operation.startsWith('POST') ? { json: { createURL: null, deals: [] } } : {}),
    })
    expectError(refused, 403, 'FORBIDDEN', `This needs the scope ${scope}`)
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    const alone = await system.makePartner({ scopes: [scope] })
    const allowed = await ask(system, operation, {
      token: alone.token,
      ...(operation.startsWith('POST') ? { json: { createURL: null, deals: [] } } : {}),
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

test('an internal token belongs to no partner, and cannot use webhook URLs and events', async ({
  system,
}) => {
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
