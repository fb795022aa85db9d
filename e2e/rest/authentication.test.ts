import { randomBytes } from 'node:crypto'
import { type Scope, scopes } from '#server/tokens/policy.ts'
import { makeToken } from '#server/tokens/token.ts'
import { ask, expectError, expectUnauthorized } from './client.ts'
import { dial, listen, parseAnswer, send } from './raw-http.ts'
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
  test(`${operation} without a token is a 401, and requires exactly the scope ${scope}`, async ({
    system,
  }) => {
    expectUnauthorized(await ask(system, operation), 'no token')
    const askWith = async (scopes: Scope[]) => {
      const { token } = await system.makePartner({ scopes })
      const json = operation.startsWith('POST') ? { createURL: null, deals: [] } : undefined
      return ask(system, operation, { token, json })
    }
    const refused = await askWith(scopes.filter((other) => other !== scope))
    expectError(refused, 403, 'FORBIDDEN', `This needs the scope ${scope}`)
    expect(refused.headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`)
    expect((await askWith([scope])).status).toBe(/\/(?:1|a|1\/messages)$/.test(operation) ? 404 : 200)
  })
}

test('a 401 tells an Authorization header without a bearer token from an invalid token', async ({
  system,
}) => {
  const { token } = await system.makePartner()
  const send = (authorization: string) => ask(system, 'GET /api/deals', { headers: { authorization } })
  expectUnauthorized(await send(''), 'another header')
  expectUnauthorized(await send(token), 'another header')
  expectUnauthorized(await send(`Bearer ${token}0`), 'a bad token')
  expectUnauthorized(await send(`Bearer ${'x'.repeat(8000)}`), 'a bad token')
})

test('ignores a token in the query, a cookie or the body', async ({ system }) => {
  const { token } = await system.makePartner()
  expectUnauthorized(await ask(system, `GET /api/deals?access_token=${token}&token=${token}`), 'no token')
  expectUnauthorized(
    await ask(system, 'GET /api/deals', { headers: { cookie: `token=${token}; access_token=${token}` } }),
    'no token',
  )
  expectUnauthorized(
    await ask(system, 'POST /api/webhook', { json: { access_token: token, createURL: null } }),
    'no token',
  )
})

test('401 precedes every other problem with a request', async ({ system }) => {
  const requests = [
    'GET /api/nothing',
    'GET /api/Deals',
    'DELETE /api/deals',
    'OPTIONS /api/deals',
    'PROPFIND /api/deals',
    'GET /api/deals?page=0',
    'GET /api/deals/abc',
    'GET /api/files/%20',
    'GET /api/events?limit=0',
  ]
  for (const token of [undefined, makeToken((count) => randomBytes(count))]) {
    const sent = token === undefined ? 'no token' : 'a bad token'
    for (const request of requests) expectUnauthorized(await ask(system, request, { token }), sent)
    for (const type of ['application/json', 'text/plain', '']) {
      for (const body of ['{"createURL":', '']) {
        expectUnauthorized(
          await ask(system, 'POST /api/webhook', { token, body, headers: { 'content-type': type } }),
          sent,
        )
      }
    }
    expectUnauthorized(
      await ask(system, 'POST /api/webhook', {
        token,
        body: 'x',
        chunked: true,
        headers: { 'content-encoding': 'gzip' },
      }),
      sent,
    )
  }
})

const head = 'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

test('responds to an unauthenticated 30 MB body before it is sent', async ({ system }) => {
  const { status, headers, body } = parseAnswer(await send(system, `${head}Content-Length: 30000000\r\n\r\n`))
  expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: 'Bearer' })
  expect(body).toBe('{"code":"UNAUTHORIZED","message":"A bearer token is required","errors":null}')
})

test('cuts off an unauthenticated body that never ends', async ({ system }) => {
  const socket = dial(system)
  const received = listen(socket)
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  const writing = setInterval(() => socket.write(`1000\r\n${' '.repeat(0x1000)}\r\n`), 5)
  const reply = await received
  clearInterval(writing)
  expect(parseAnswer(reply).status).toBe(401)
})

test('a client that sends a large body still receives the 401, with Connection: close', async ({
  system,
}) => {
  const socket = dial(system)
  const received = listen(socket)
  socket.write(`${head}Connection: close\r\nContent-Length: 3000000\r\n\r\n`)
  socket.end(Buffer.alloc(3_000_000, ' '))
  expect(parseAnswer(await received)).toMatchObject({
    status: 401,
    body: '{"code":"UNAUTHORIZED","message":"A bearer token is required","errors":null}',
  })
})

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
  for (const [operation, message] of [
    ['GET /api/webhook', 'This needs the scope webhooks:read'],
    ['POST /api/webhook', 'This needs the scope webhooks:write'],
    ['GET /api/events', 'Only partners can do this; an internal token belongs to none'],
  ] as const)
    expectError(await ask(system, operation, { token }), 403, 'FORBIDDEN', message)
})
