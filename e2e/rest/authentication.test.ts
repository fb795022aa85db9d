import { randomBytes } from 'node:crypto'
import { makeToken } from '#server/tokens/token.ts'
import { ask, expectUnauthorized } from './client.ts'
import { dial, listen, parseAnswer } from './raw-http.ts'
import { expect, test } from './rest-test.ts'

const operations = [
  'GET /api/deals',
  'GET /api/deals/1',
  'GET /api/files/a',
  'GET /api/events',
  'GET /api/webhook',
  'POST /api/webhook',
  'POST /api/events/reconcile',
]

for (const operation of operations) {
  test(`${operation} without a token is a 401 that asks for a bearer token`, async ({ system }) => {
    expectUnauthorized(await ask(system, operation), 'no token')
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

test('responds to an unauthenticated 30 MB body before it is sent', async ({ system }) => {
  const socket = dial(system)
  const received = listen(socket)
  socket.write(
    'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n',
  )
  const { status, headers, body } = parseAnswer(await received)
  expect({ status, challenge: headers['www-authenticate'] }).toEqual({ status: 401, challenge: 'Bearer' })
  expect(body).toBe('{"code":"UNAUTHORIZED","message":"A bearer token is required","errors":null}')
})

test('cuts off an unauthenticated body that never ends', async ({ system }) => {
  const socket = dial(system)
  const received = listen(socket)
  socket.write(
    'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  const writing = setInterval(() => socket.write(`1000\r\n${' '.repeat(0x1000)}\r\n`), 5)
  const said = await received
  clearInterval(writing)
  expect(parseAnswer(said).status).toBe(401)
})

test('a client that sends a large body still receives the 401, with Connection: close', async ({
  system,
}) => {
  const socket = dial(system)
  const received = listen(socket)
  socket.write(
    'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n',
  )
  socket.end(Buffer.alloc(3_000_000, ' '))
  expect(parseAnswer(await received)).toMatchObject({
    status: 401,
    body: '{"code":"UNAUTHORIZED","message":"A bearer token is required","errors":null}',
  })
})
