import { readFileSync } from 'node:fs'
import { expect, test } from '../fixtures.ts'
import { untilTaken, ask, expectError, expectUnauthorized, uuid } from './client.ts'
import { dial, listen, parseAnswer, send } from './raw-http.ts'

const notHttp = 'This is not a valid HTTP request'

/** Expects exactly one complete error with a request ID, and the end of the connection. */
function expectRefused(received: string, status: number, code: string, message: string): void {
  const { headers, body, ...answer } = parseAnswer(received)
  expect({ status: answer.status, body }).toEqual({
    status,
    body: JSON.stringify({ code, message, errors: null }),
  })
  expect(headers['content-type']).toBe('application/json')
  expect(headers['x-request-id']).toMatch(uuid)
  if (status < 500) expect(headers.connection).toBe('close')
}

/**
 * Responses to three slow clients. Started before the other tests, so that no test waits for the timeouts.
 */
let slow: { name: string; answered: Promise<{ received: string; afterMs: number }> }[]

test.beforeAll(async ({ system }) => {
  const { token } = await system.makePartner()
  const begin = (start: string, drip: string) => {
    const socket = dial(system)
    const started = performance.now()
    const received = listen(socket)
    socket.write(start)
    const dripping = setInterval(() => socket.write(drip), 1000)
    return received.then((text) => {
      clearInterval(dripping)
      return { received: text, afterMs: performance.now() - started }
    })
  }
  slow = [
    {
      name: 'a header that never ends',
      answered: begin('GET /api/deals HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n'),
    },
    { name: 'a request line that never ends', answered: begin('GET /', 'x') },
    {
      name: 'a body that never ends',
      answered: begin(
        `POST /api/webhook HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
        ' ',
      ),
    },
  ]
})

for (const [what, bytes] of [
  ['a word', 'hello\r\n\r\n'],
  ['an unknown method', 'FOO /api/deals HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['another protocol', 'GET /api/deals SIP/2.0\r\nHost: x\r\n\r\n'],
  ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a space in the target', 'GET /api/deals?x=a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a NUL in the target', 'GET /api/deals?x=\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a NUL in a header', 'GET /api/deals HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'],
  ['a space before the colon of a header', 'GET /api/deals HTTP/1.1\r\nHost : x\r\n\r\n'],
  [
    'two lengths',
    'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
  ],
  [
    'a length and chunks',
    'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  ['a negative length', 'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
  [
    'a length of 2^64',
    'POST /api/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n',
  ],
  ['no host', 'GET /api/deals HTTP/1.1\r\nConnection: close\r\n\r\n'],
] as const) {
  test(`${what} is not HTTP: a 400 with a request id, then the connection is closed`, async ({ system }) => {
    expectRefused(await send(system, bytes), 400, 'BAD_REQUEST', notHttp)
  })
}

test('a chunk without a size is a 400', async ({ system }) => {
  const { token } = await system.makePartner()
  const received = await send(
    system,
    `POST /api/webhook HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
  )
  expectRefused(received, 400, 'BAD_REQUEST', notHttp)
})

test('a request head that is too large is a 400 that says so', async ({ system }) => {
  for (const [search, head] of [
    ['', `X: ${'a'.repeat(20_000)}\r\n`],
    ['', `${'a'.repeat(20_000)}: x\r\n`],
    ['', 'X: y\r\n'.repeat(5000)],
    ['', `Cookie: ${'x=y; '.repeat(5000)}\r\n`],
    [`?${'x'.repeat(20_000)}`, ''],
  ])
    expectRefused(
      await send(system, `GET /api/deals${search} HTTP/1.1\r\nHost: x\r\n${head}\r\n`),
      400,
      'BAD_REQUEST',
      'The header of the request is too large',
    )
})

test('a client that sends garbage and stays connected is disconnected', async ({ system }) => {
  const socket = dial(system, { allowHalfOpen: true })
  const received = listen(socket)
  socket.write('hello\r\n\r\n')
  const holding = setInterval(() => socket.write('x'), 100)
  expectRefused(await received, 400, 'BAD_REQUEST', notHttp)
  clearInterval(holding)
})

test('an absolute target equals its path (RFC 9112, section 3.2.2)', async ({ system }) => {
  const { token } = await system.makePartner()
  for (const target of [
    'http://deals.example/api/deals?size=3',
    'HTTP://Deals.Example:80/api/deals?size=3',
    'https://user:pass@deals.example/api/deals?size=3',
  ]) {
    const received = await send(
      system,
      `GET ${target} HTTP/1.1\r\nHost: deals.example\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    )
    expect(parseAnswer(received)).toMatchObject({
      status: 200,
      body: '{"page":1,"pages":0,"count":0,"deals":[]}',
    })
  }
  const page = parseAnswer(
    await send(
      system,
      'GET http://deals.example/sign-in HTTP/1.1\r\nHost: deals.example\r\nConnection: close\r\n\r\n',
    ),
  )
  expect(page.status).toBe(200)
  expectRefused(
    await send(
      system,
      'GET http://deals.example HTTP/1.1\r\nHost: deals.example\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    ),
    400,
    'BAD_REQUEST',
    'The request needs a Content-Length',
  )
  expect(
    parseAnswer(
      await send(
        system,
        `GET http://deals.example?x HTTP/1.1\r\nHost: deals.example\r\nConnection: close\r\n\r\n`,
      ),
    ).status,
  ).toBeLessThan(500)
})

test('declines upgrades to HTTP/2 or WebSocket and responds with HTTP/1.1', async ({ system }) => {
  const { token } = await system.makePartner()
  // After the first page, Next registers its own listener for upgrades.
  await ask(system, 'GET /sign-in')
  for (const upgrade of [
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]) {
    for (const [path, status] of [
      ['/api/deals', 200],
      ['/healthz', 200],
      ['/api/nothing', 404],
    ] as const) {
      const socket = dial(system)
      const received = listen(socket)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${upgrade}\r\n\r\n`)
      socket.once('data', () => socket.end())
      expect(parseAnswer(await received).status).toBe(status)
    }
  }
})

test('an unknown expectation is ignored, and 100-continue is honored', async ({ system }) => {
  const { token } = await system.makePartner()
  expect((await ask(system, 'GET /api/deals', { token, headers: { expect: 'the-unexpected' } })).text).toBe(
    '{"page":1,"pages":0,"count":0,"deals":[]}',
  )
  const received = await send(
    system,
    `POST /api/webhook HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 18\r\nConnection: close\r\n\r\n{"createURL":null}`,
  )
  expect(received.startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n')).toBe(true)
})

test('CONNECT is a 405', async ({ system }) => {
  const received = await send(system, 'CONNECT deals.example:443 HTTP/1.1\r\nHost: deals.example:443\r\n\r\n')
  expectRefused(received, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
  expect(parseAnswer(received).headers.allow).toBe('GET, HEAD, POST')
})

test('responds to HTTP/1.0 requests without a host', async ({ system }) => {
  const { token } = await system.makePartner()
  expect(
    parseAnswer(await send(system, `GET /api/deals HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`))
      .status,
  ).toBe(200)
})

test('responds in order to requests on one connection, and ignores the body of a GET', async ({ system }) => {
  const { token } = await system.makePartner()
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`
  const { received } = await untilTaken(async () => {
    const text = await send(
      system,
      `GET /api/deals?page=1 ${head}Content-Length: 3\r\n\r\nabcGET /api/deals?page=2 ${head}\r\nGET /api/deals?size=0 ${head}\r\nGET /api/webhook ${head}Connection: close\r\n\r\n`,
    )
    return { received: text, status: text.includes('HTTP/1.1 503') ? 503 : 200 }
  })
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 400',
    'HTTP/1.1 200',
  ])
  expect([...received.matchAll(/"page":(\d)/g)].map(([, page]) => page)).toEqual(['1', '2'])
})

const notNormal = ['path: must be in normal form, without empty segments, . or .., encoded or not']

test('pages reject other methods and large bodies with the same messages as REST', async ({ system }) => {
  for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    for (const path of ['/', '/sign-in', '/no-such-page', '/_next/x', '/api/auth/session', '/api/trpc/x']) {
      const answer = await ask(system, `${method} ${path}`)
      expectError(answer, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
      expect(answer.headers.allow).toBe('GET, HEAD, POST')
    }
  }
  expect((await ask(system, 'OPTIONS *')).status).toBe(405)
  for (const path of ['/', '/sign-in', '/api/trpc/x', '/api/auth/callback/credentials']) {
    expectError(
      await ask(system, `POST ${path}`, { body: Buffer.alloc(1024 * 1024 + 1) }),
      413,
      'PAYLOAD_TOO_LARGE',
      'The body is too large',
    )
    expectError(
      await ask(system, `POST ${path}`, { body: 'x', chunked: true }),
      400,
      'BAD_REQUEST',
      'The request needs a Content-Length',
    )
  }
})

test('pages set nosniff, frame and referrer headers', async ({ system }) => {
  const { headers } = await ask(system, 'GET /sign-in')
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
  })
  expect(headers['x-powered-by']).toBeUndefined()
  expect(headers.server).toBeUndefined()
})

test('only build files lack the headers of pages', async ({ system }) => {
  const { text } = await ask(system, 'GET /sign-in')
  const [script] = /\/_next\/static\/chunks\/[^"]+\.js/.exec(text)!
  const { status, headers } = await ask(system, `GET ${script}`)
  expect(status).toBe(200)
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(JSON.stringify(headers).length).toBeLessThan(600)
  for (const path of ['/_next/static/..%2f..%2fsign-in', '/_next/static/../../sign-in'])
    expectError(await ask(system, `GET ${path}`), 400, 'BAD_REQUEST', 'The URL is not valid', notNormal)
  for (const path of ['/_next/static/', '/_next/image?url=%2Ficon.svg&w=640&q=75', '/_next/x'])
    expectError(await ask(system, `GET ${path}`), 404, 'NOT_FOUND', 'Path not found')
})

// admission.test.ts covers every path in every spelling.
test('only paths under /api return deals', async ({ system, demo }) => {
  for (const path of ['/API/deals', '/deals', '/api/trpc/../deals', '/_next/data/x/api/deals.json']) {
    const { status, text, headers } = await ask(system, `GET ${path}`, { token: demo.token })
    expect([307, 400, 404], path).toContain(status)
    expect(text, path).not.toContain('"count"')
    if (headers.location !== undefined) expect(headers.location).toMatch(/^\/(?!\/)/)
  }
})

test('every response has its own request id: data, errors, pages, health and the document', async ({
  system,
  demo,
}) => {
  const answers = await Promise.all(
    [
      'GET /api/deals',
      'GET /api/deals?size=0',
      'GET /api/nothing',
      'GET /api/webhook',
      'GET /api/openapi.json',
      'GET /healthz',
      'GET /',
      'GET /sign-in',
      'DELETE /sign-in',
      'GET /x/%ff',
      'GET /files/x',
      'GET /api/trpc/x',
      'GET //x',
    ].flatMap((what) => [ask(system, what, { token: demo.token }), ask(system, what)]),
  )
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  for (const id of ids) expect(id).toMatch(uuid)
  expect(new Set(ids).size).toBe(ids.length)
})

test('twelve unauthenticated 30 MB bodies sent together do not increase memory use', async ({ system }) => {
  test.skip(process.platform !== 'linux', 'reads /proc')
  const residentMb = () =>
    Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${system.process.pid}/status`, 'utf8'))![1]) / 1024
  const body = Buffer.alloc(30_000_000, ' ')
  const before = residentMb()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentMb())
  }, 5)
  const headers = { 'content-type': 'application/json' }
  const refused = () => untilTaken(() => ask(system, 'POST /api/webhook', { body, headers }))
  try {
    const answers = await Promise.all(Array.from({ length: 12 }, refused))
    for (const answer of answers) expectUnauthorized(answer, 'no token')
  } finally {
    clearInterval(watch)
  }
  expect(most - before).toBeLessThan(120)
})

// This test is last, so that the slow clients have had time to reach their timeouts.
test('a slow request is cut off, after 10 seconds for its head and 15 for its body', async () => {
  for (const { name, answered } of slow) {
    const { received, afterMs } = await answered
    expectRefused(received, 408, 'REQUEST_TIMEOUT', 'The request did not arrive in time')
    const limitMs = name.includes('body') ? 15_000 : 10_000
    expect(afterMs, name).toBeGreaterThan(limitMs - 1500)
    expect(afterMs, name).toBeLessThan(limitMs + 5000)
  }
})
