import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  Server as TlsServer,
} from 'node:tls'
import { gzipSync } from 'node:zlib'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  test,
  vi,
} from 'vitest'
import { parseCidrs } from '../net/ip-address.ts'
import type { Resolve } from '../net/resolve.ts'
import type { EndpointRules } from './endpoint.ts'
import { type Answer, type SafeFetch, makeSafeFetch } from './safe-fetch.ts'

const publicOnly: EndpointRules = { allowHttp: true, allowed: parseCidrs('') }
const loopback: EndpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8, ::1/128') }
const toLoopback: Resolve = async () => ['127.0.0.1']
const outside = 'the address leads outside the public internet'
const payload = Buffer.from('{"type":"deal.created"}')
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

let opened: Array<{ close(): unknown }> = []
let warned: MockInstance<typeof process.emitWarning>

beforeAll(() => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
    vi.stubEnv(name, 'http://127.0.0.1:9')
})

beforeEach(() => {
  warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
})

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(opened.map((each) => each.close()))
  opened = []
})

afterAll(() => {
  vi.unstubAllEnvs()
})

function door(rules = loopback, resolve = toLoopback): SafeFetch {
  const made = makeSafeFetch(rules, resolve)
  opened.push(made)
  return made
}

function send(url: string, { rules = loopback, resolve = toLoopback, timeoutMs = 20_000 } = {}) {
  return door(rules, resolve).post(url, {}, payload, timeoutMs)
}

const post = (fetch: SafeFetch, url: string) => fetch.post(url, {}, payload, 20_000)

/** Returns a server on loopback that calls `reply` for each complete request. */
async function serve(reply: (socket: Socket) => unknown, server: Server = createServer()) {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const closed = Promise.withResolvers<void>()
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => closed.resolve())
  })
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    let text = ''
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        text += bytes.toString('latin1')
        if (!text.endsWith(payload.toString())) return
        requests.push(text)
        text = ''
        reply(socket)
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({ close: () => (sockets.forEach((socket) => socket.destroy()), server.close()) })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/hook?a=1`, sockets, requests, closed: closed.promise }
}

const answering = (answer: string | Buffer) => serve((socket) => socket.write(answer))

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const closing = head('HTTP/1.1 200 OK', 'Connection: close', 'Content-Length: 0')
const textOf = ({ responseHeaders, responseBody }: { responseHeaders: string; responseBody: string }) =>
  responseHeaders + responseBody

describe('a response to a webhook', () => {
  test('is received completely, as is the request', async () => {
    const { port, url, requests } = await answering(
      Buffer.from(
        `${head('HTTP/1.1 200 Fine', 'X-One: a', 'x-one: b', 'Set-Cookie: a=b', 'Content-Length: 11')}\ufeffgr\u00fc\u00dfe\n`,
      ),
    )
    const fetch = door()
    const answer = await fetch.post(
      url,
      { 'Content-Type': 'application/json', 'webhook-id': 'msg_1' },
      payload,
      20_000,
    )
    expect(answer).toEqual({
      status: 200,
      error: null,
      timedOut: false,
      durationMs: expect.any(Number),
      responseHeaders: 'X-One: a\nx-one: b\nSet-Cookie: a=b\nContent-Length: 11',
      responseBody: '\ufeffgr\u00fc\u00dfe\n',
      retryAfter: null,
    })
    expect(Number.isInteger(answer.durationMs)).toBe(true)
    await post(fetch, url)
    const [first = '', second = ''] = requests
    expect(first.split('\r\n')[0]).toBe('POST /hook?a=1 HTTP/1.1')
    const lines = first.toLowerCase().split('\r\n').slice(1, -2).sort()
    expect(lines).toEqual([
      'connection: keep-alive',
      `content-length: ${payload.length}`,
      'content-type: application/json',
      `host: 127.0.0.1:${port}`,
      'webhook-id: msg_1',
    ])
    expect(first.endsWith(`\r\n\r\n${payload}`)).toBe(true)
    expect(second.toLowerCase()).not.toContain('cookie')
  })

  test('leaves the connection open for the next request, which opens a new one if it was closed', async () => {
    const { url, sockets, requests } = await answering(ok)
    const fetch = door()
    for (let i = 0; i < 3; i++) {
      expect(await post(fetch, url)).toMatchObject({ status: 200, responseBody: 'ok' })
      await wait(20)
    }
    expect(sockets.size).toBe(1)
    // Closes idle connections, as receivers do.
    for (const socket of sockets) socket.end()
    await wait(20)
    expect(await post(fetch, url)).toMatchObject({ status: 200, error: null })
    expect(requests).toHaveLength(4)
    expect(sockets.size).toBe(2)
  })

  test.each<[string, string | Buffer, Partial<Answer>]>([
    [
      'of status 204',
      head('HTTP/1.1 204 Word'),
      { status: 204, error: null, timedOut: false, responseBody: '' },
    ],
    [
      'with Retry-After',
      head('HTTP/1.1 429 Slow down', 'RETRY-AFTER: Wed, 21 Oct 2026 07:28:00 GMT', 'Content-Length: 0'),
      { status: 429, error: null, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    ],
    [
      'after interim responses',
      head('HTTP/1.1 102 Processing') + head('HTTP/1.1 103 Early Hints', 'Link: </a>') + ok,
      { status: 200, error: null, responseHeaders: 'Content-Length: 2', responseBody: 'ok' },
    ],
    [
      'with headers cut to 4,096 bytes',
      head('HTTP/1.1 200 OK', `X: ${'y'.repeat(8000)}`, 'Retry-After: 7', 'Content-Length: 20000') +
        'a'.repeat(20_000),
      { retryAfter: '7', responseHeaders: `X: ${'y'.repeat(4093)}`, responseBody: 'a'.repeat(12 * 1024) },
    ],
    [
      'with a long body cut between characters',
      Buffer.from(head('HTTP/1.1 200 OK', 'Connection: close') + '\u20ac'.repeat(6000)),
      { responseBody: '\u20ac'.repeat(Math.floor((16 * 1024 - 'Connection: close'.length) / 3)) },
    ],
    [
      'with bytes that the database rejects',
      Buffer.from(
        `${head('HTTP/1.1 200 OK', 'X: \u00ff', 'Content-Length: 6')}a\0b\u00ff\u00e2\u0082`,
        'latin1',
      ),
      { responseHeaders: 'X: \u00ff\nContent-Length: 6', responseBody: 'a\ufffdb\ufffd\ufffd' },
    ],
    [
      'in which each byte is replaced by three',
      Buffer.concat([
        Buffer.from(head('HTTP/1.1 200 OK', 'Content-Length: 16000')),
        Buffer.alloc(16_000, 255),
      ]),
      { status: 200, error: null },
    ],
  ])('%s is returned', async (_what, response, expected) => {
    const { url } = await answering(response)
    const answer = await send(url)
    expect(answer).toMatchObject(expected)
    expect(Buffer.byteLength(textOf(answer))).toBeLessThanOrEqual(16 * 1024)
  })

  test('that redirects is not followed', async () => {
    const other = await answering(ok)
    const { url } = await answering(head('HTTP/1.1 307 Moved', `Location: ${other.url}`, 'Content-Length: 0'))
    expect(await send(url)).toMatchObject({ status: 307, error: null })
    expect(other.sockets.size).toBe(0)
  })

  test('is truncated at 16 KiB, and the connection closed', async () => {
    const { url, closed } = await serve((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a')));
      }
      socket.on('drain', more).write(head('HTTP/1.1 200 OK', 'X: y'))
      more()
    })
    const answer = await send(url)
    expect(answer).toMatchObject({ status: 200, error: null, timedOut: false, responseHeaders: 'X: y' })
    expect(textOf(answer)).toHaveLength(16 * 1024)
    await closed
  })

  test('of exactly the stored length leaves the connection open', async () => {
    const headers = 'Content-Length: 16361'
    const { url, sockets } = await answering(head('HTTP/1.1 200 OK', headers) + 'a'.repeat(16_361))
    const fetch = door()
    for (let i = 0; i < 2; i++) {
      expect(textOf(await post(fetch, url))).toHaveLength(headers.length + 16_361)
      await wait(20)
    }
    expect(sockets.size).toBe(1)
  })

  test('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const headers = head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`)
    const { url } = await answering(Buffer.concat([Buffer.from(headers), bomb]))
    const answer = await send(url)
    expect(answer.responseBody.startsWith('\u001f\ufffd\b')).toBe(true)
    expect(Buffer.byteLength(textOf(answer))).toBeLessThanOrEqual(16 * 1024)
  })
})

describe('a failure is reported', () => {
  test.each([
    [head('HTTP/1.1 200 OK', `X: ${'y'.repeat(20_000)}`), 'the headers of the answer are too long'],
    [head('HTTP/1.1 200 OK', ...Array(3000).fill('X: yyyyyyyy')), 'the headers of the answer are too long'],
    [head('HTTP/1.1 200 OK', 'X: a\0b'), 'the answer is not valid HTTP'],
    ['hello\r\n\r\n', 'the answer is not valid HTTP'],
    [head('HTTP/1.1 101 Switching', 'Connection: upgrade', 'Upgrade: x'), 'the answer is not valid HTTP'],
    // Valid HTTP, but undici rejects an unsolicited 100.
    [head('HTTP/1.1 100 Continue') + ok, 'the answer is not valid HTTP'],
  ])('for the invalid response %.40j', async (response, error) => {
    const { url } = await answering(response)
    expect(await send(url)).toMatchObject({ status: null, error, timedOut: false, responseHeaders: '' })
  })

  test('for a refused connection', async () => {
    const { url, port } = await answering(ok)
    for (const server of opened) await server.close()
    const error = 'the connection was refused'
    expect(await send(url)).toMatchObject({ status: null, error, timedOut: false, responseBody: '' })
    expect(
      await send(`http://hooks.example.test:${port}/`, { resolve: async () => ['127.0.0.1', '::1'] }),
    ).toMatchObject({ error })
  })

  test.each(['end', 'resetAndDestroy'] as const)(
    'for a connection closed before the answer: %s',
    async (how) => {
      const { url } = await serve((socket) => socket[how]())
      expect(await send(url)).toMatchObject({
        status: null,
        error: 'the connection was closed before an answer came',
        timedOut: false,
      })
    },
  )

  test.each([
    ['Content-Length: 9', 'cut'],
    ['Content-Length: 9\r\nConnection: close', 'cut'],
    ['Transfer-Encoding: chunked', '9\r\ncut'],
    ['Transfer-Encoding: chunked\r\nConnection: close', '9\r\ncut'],
  ])('for a response cut in its body: %j', async (headers, body) => {
    for (const how of ['end', 'resetAndDestroy'] as const) {
      const { url } = await serve(async (socket) => {
        socket.write(head('HTTP/1.1 200 OK', headers) + body)
        // A reset discards unread data. Waiting for several timers gives the client time to read.
        for (let i = 0; i < 3; i++) await wait(30)
        socket[how]()
      })
      const error = 'the connection was closed before the answer was complete'
      expect(await send(url), how).toMatchObject({ status: 200, error, timedOut: false, responseBody: 'cut' })
    }
  })

  test.each([
    ['ftp://hooks.example.test/', loopback, 'the URL is not http or https'],
    ['http://127.0.0.1/', { ...loopback, allowHttp: false }, 'the URL is not https'],
    ['https://user@hooks.example.test/', loopback, 'the URL contains a user name or password'],
    ['https://:secret@hooks.example.test/', loopback, 'the URL contains a user name or password'],
    ['hooks.example.test', loopback, 'the URL is not a valid URL'],
  ])('for the unsupported URL "%s"', async (url, rules, error) => {
    expect(await send(url, { rules })).toMatchObject({ status: null, error, timedOut: false })
  })

  test('for a header that cannot be sent', async () => {
    expect(await door().post('http://127.0.0.1/', { a: 'b\r\nc: d' }, payload, 20_000)).toMatchObject({
      status: null,
      error: 'the request failed (UND_ERR_INVALID_ARG)',
    })
  })
})

describe('the time limit of a request', () => {
  const every =
    (ms: number, text: string, start = '') =>
    (socket: Socket) => {
      socket.write(start)
      const timer = setInterval(() => socket.write(text), ms)
      socket.on('close', () => clearInterval(timer))
    }

  test.each<[string, (socket: Socket) => unknown, string, number | null, number]>([
    ['silence', () => {}, 'http', null, 400],
    ['a response whose headers trickle in', every(50, 'a', 'HTTP/1.1 200 OK\r\nX: '), 'http', null, 400],
    [
      'a response whose body trickles in',
      every(50, 'a', 'HTTP/1.1 503 No\r\nRetry-After: 5\r\n\r\n'),
      'http',
      503,
      1500,
    ],
    ['endless interim responses', every(20, head('HTTP/1.1 103 Early Hints')), 'http', null, 400],
    ['a TLS handshake', () => {}, 'https', null, 400],
  ])('ends %s', async (_what, reply, protocol, status, timeoutMs) => {
    const { port, closed } = await serve(reply)
    const answer = await send(`${protocol}://127.0.0.1:${port}/`, { timeoutMs })
    expect(answer).toMatchObject({
      status,
      error: `no complete answer within ${timeoutMs} ms`,
      timedOut: true,
      responseHeaders: status === null ? '' : 'Retry-After: 5',
      retryAfter: status && '5',
    })
    expect(answer.responseBody).toMatch(status === null ? /^$/ : /^a+$/)
    expect(answer.durationMs).toBeGreaterThanOrEqual(timeoutMs - 10)
    expect(answer.durationMs).toBeLessThan(10_000)
    await closed
  })

  test.each<[string, Resolve]>([
    ['never returns', () => new Promise(() => undefined)],
    ['returns too late', () => wait(700).then(() => ['127.0.0.1'])],
  ])('ends a DNS lookup that %s, and sends nothing', async (_what, resolve) => {
    const { port, requests } = await answering(ok)
    expect(await send(`http://hooks.example.test:${port}/`, { resolve, timeoutMs: 400 })).toMatchObject({
      error: 'no complete answer within 400 ms',
      timedOut: true,
      status: null,
    })
    await wait(700)
    expect(requests).toEqual([])
  })
})

describe('a connection to an endpoint', () => {
  test.each(['127.0.0.1', '[::1]', '2130706433'])('to %s is not attempted', async (host) => {
    const connect = vi.spyOn(Socket.prototype, 'connect')
    for (const protocol of ['http', 'https'])
      expect(await send(`${protocol}://${host}:8080/`, { rules: publicOnly })).toMatchObject({
        status: null,
        error: outside,
        timedOut: false,
      })
    expect(connect).not.toHaveBeenCalled()
  })

  test('is opened to the checked IP address, with the given hostname', async () => {
    const { port, requests } = await answering(ok)
    const hostnames: string[] = []
    const resolve: Resolve = async (hostname) => (hostnames.push(hostname), ['127.0.0.1'])
    expect(await send(`http://Hooks.Example.test:${port}/`, { resolve })).toMatchObject({
      status: 200,
      error: null,
    })
    expect(hostnames).toEqual(['hooks.example.test'])
    expect(requests[0]?.toLowerCase()).toContain(`\r\nhost: hooks.example.test:${port}\r\n`)
  })

  test('tries the next IP address if the first refuses', async () => {
    const { port } = await answering(ok)
    const resolve: Resolve = async () => ['::1', '127.0.0.1']
    expect(await send(`http://hooks.example.test:${port}/`, { resolve })).toMatchObject({
      status: 200,
      error: null,
    })
  })

  test.each([
    ['127.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '127.0.0.1'],
  ])('to a hostname with the IP addresses %s and %s is not opened', async (...addresses) => {
    const { port, sockets } = await answering(ok)
    expect(
      await send(`http://hooks.example.test:${port}/`, { resolve: async () => addresses }),
    ).toMatchObject({ status: null, error: outside })
    expect(sockets.size).toBe(0)
  })

  test('is checked again each time it is opened', async () => {
    const { port, sockets } = await answering(closing)
    const resolve = vi
      .fn<Resolve>()
      .mockResolvedValueOnce(['127.0.0.1'])
      .mockResolvedValueOnce(['192.168.0.1'])
    const fetch = door(loopback, resolve)
    const url = `http://hooks.example.test:${port}/`
    expect(await post(fetch, url)).toMatchObject({ status: 200 })
    expect(await post(fetch, url)).toMatchObject({ status: null, error: outside })
    expect(resolve).toHaveBeenCalledTimes(2)
    expect(sockets.size).toBe(1)
  })

  test.each([
    ['nothing', async () => []],
    ['an error', () => Promise.reject(new Error('queryA ESERVFAIL 10.0.0.53'))],
  ])('to a hostname that resolves to %s fails', async (_what, resolve: Resolve) => {
    const answer = await send('https://hooks.example.test/', { resolve })
    expect(answer).toMatchObject({ status: null, error: 'the name does not resolve', timedOut: false })
  })

  test('never leaks a listener', async () => {
    const { url } = await serve(() => undefined)
    const fetch = door()
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 30 }, () => fetch.post(url, {}, payload, 400)))
      for (const answer of answers) expect(answer.timedOut).toBe(true)
    }
    expect(warned.mock.calls.filter(([warning]) => warning instanceof Error)).toEqual([])
  })
})

describe('closing the client', () => {
  test('ends running requests and closes idle connections', async () => {
    const silent = await serve(() => undefined)
    const idle = await answering(ok)
    const fetch = door(loopback, (hostname) =>
      hostname === 'never.example.test' ? new Promise(() => undefined) : toLoopback(hostname),
    )
    await post(fetch, idle.url)
    const urls = [silent.url, `https://127.0.0.1:${silent.port}/`, 'https://never.example.test/']
    const underWay = urls.map((url) => post(fetch, url))
    await vi.waitFor(() => expect(silent.sockets.size).toBe(2), { timeout: 10_000 })
    await fetch.close()
    for (const answer of await Promise.all(underWay))
      expect(answer).toMatchObject({ status: null, error: 'sending was stopped', timedOut: false })
    await idle.closed
    await vi.waitFor(() => expect([...silent.sockets].every(({ destroyed }) => destroyed)).toBe(true), {
      timeout: 10_000,
    })
    expect(await post(fetch, idle.url)).toMatchObject({
      status: null,
      error: 'sending was stopped',
    })
    await fetch.close()
    expect(idle.requests).toHaveLength(1)
  })
})

// Certificates for hooks.example.test and 127.0.0.1 that share a key. Embedded because openssl is not
// installed on every machine.
const pem = (label: string, base64: string) =>
  `-----BEGIN ${label}-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END ${label}-----\n`
const authority = pem(
  'CERTIFICATE',
  'MIIBRTCB7aADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAMMB3Rlc3QgY2EwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBIxEDAOBgNVBAMMB3Rlc3QgY2EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS/N0vbHh7/uQCsDLshUSnptJwOLnoQePYGyTI5hRwz95z9SciohigQo1cE76h5pKOvKv/Fpe3xUZnGe4TGkwHcozIwMDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSO0CqImYJCbTvxYEmSDTt6aP2euDAKBggqhkjOPQQDAgNHADBEAiBrwz01i+aVMn/eR1XkFbD8GcWSY0PNnmjT67MVxodFYgIgQGFPZp2J1muVuuyLnfp3HlMd718QTOZjUErkjFo4XIw=',
)
const key = pem(
  'PRIVATE KEY',
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+Put7EUVoPqgNtPEIFGwKlVazkQmpxu5fJtMFD/F8Q6hRANCAARJTPs2F86Mv15pIsPR5Ssshgdi9liPqj5Di2MEk74LSSt7PgnElVNJYQ41DWCn+i83lrmLO8Xv5LtZqCJ0i4RF',
)
const valid = pem(
  'CERTIFICATE',
  'MIIBhzCCAS2gAwIBAgIBAjAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAd0ZXN0IGNhMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAdMRswGQYDVQQDDBJob29rcy5leGFtcGxlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARJTPs2F86Mv15pIsPR5Ssshgdi9liPqj5Di2MEk74LSSt7PgnElVNJYQ41DWCn+i83lrmLO8Xv5LtZqCJ0i4RFo2cwZTAjBgNVHREEHDAaghJob29rcy5leGFtcGxlLnRlc3SHBH8AAAEwHQYDVR0OBBYEFGnuQPhQJmnWPCZCigMhukAmW6rRMB8GA1UdIwQYMBaAFI7QKoiZgkJtO/FgSZINO3po/Z64MAoGCCqGSM49BAMCA0gAMEUCIQDZhwuBxWjqQKoKTOChpUPDnzLA9SFq+hDKM5P/jNbECgIgBzFhzCXetKrAUciuJPgab1uxLeHmES30NsL1o5VyUl0=',
)
const expired = pem(
  'CERTIFICATE',
  'MIIBhTCCASugAwIBAgIBAzAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAd0ZXN0IGNhMB4XDTIwMDEwMTAwMDAwMFoXDTIwMDIwMTAwMDAwMFowHTEbMBkGA1UEAwwSaG9va3MuZXhhbXBsZS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAESUz7NhfOjL9eaSLD0eUrLIYHYvZYj6o+Q4tjBJO+C0krez4JxJVTSWEONQ1gp/ovN5a5izvF7+S7WagidIuERaNnMGUwIwYDVR0RBBwwGoISaG9va3MuZXhhbXBsZS50ZXN0hwR/AAABMB0GA1UdDgQWBBRp7kD4UCZp1jwmQooDIbpAJluq0TAfBgNVHSMEGDAWgBSO0CqImYJCbTvxYEmSDTt6aP2euDAKBggqhkjOPQQDAgNIADBFAiBPQLUkaB7W0ViIPDIvMw6OYm7VzqvpsxU+fjFlS15RywIhAIu5YzAew7vqvIBXwhIiDRBH1As1dPX/Q2p/ff+0vesB',
)
const selfSigned = pem(
  'CERTIFICATE',
  'MIIBcjCCARegAwIBAgIBBDAKBggqhkjOPQQDAjAdMRswGQYDVQQDDBJob29rcy5leGFtcGxlLnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB0xGzAZBgNVBAMMEmhvb2tzLmV4YW1wbGUudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABElM+zYXzoy/Xmkiw9HlKyyGB2L2WI+qPkOLYwSTvgtJK3s+CcSVU0lhDjUNYKf6LzeWuYs7xe/ku1moInSLhEWjRjBEMCMGA1UdEQQcMBqCEmhvb2tzLmV4YW1wbGUudGVzdIcEfwAAATAdBgNVHQ4EFgQUae5A+FAmadY8JkKKAyG6QCZbqtEwCgYIKoZIzj0EAwIDSQAwRgIhAKa6Nkc7nApmeC8Mgk3IZROuj/xjy9+uNnrp7E5WG8RZAiEAmz4EyHnkoOEkLsX7cBWb4MKfWPKSwXLcSaNMhp02M08=',
)

describe('a request over https', () => {
  const trusted = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...trusted, authority]))
  afterAll(() => setDefaultCACertificates(trusted))

  const secure = (cert: string, options = {}) =>
    serve((socket) => socket.write(ok), createTlsServer({ key, cert, ...options }))

  test('uses HTTP/1.1 with a server that has a valid certificate', async () => {
    const names: unknown[] = []
    const SNICallback = (name: string, answer: (error: null) => void) => (names.push(name), answer(null))
    const { port, requests, sockets } = await secure(valid, {
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback,
    })
    const fetch = door({ ...loopback, allowHttp: false })
    for (const host of ['hooks.example.test', '127.0.0.1', 'hooks.example.test']) {
      expect(await post(fetch, `https://${host}:${port}/`)).toMatchObject({
        status: 200,
        error: null,
        responseBody: 'ok',
      })
      await wait(20)
    }
    expect(requests[0]).toMatch(/^POST \/ HTTP\/1\.1\r\n/)
    expect(sockets.size).toBe(2)
    expect(names).toEqual(['hooks.example.test'])
    expect(await fetch.contact(`https://127.0.0.1:${port}/`, 20_000)).toEqual({
      stoppedBy: null,
      error: null,
      certifiedUntil: new Date('2120-01-01T00:00:00Z'),
    })
  })

  test.each([
    ['self-signed', selfSigned, 'hooks.example.test'],
    ['expired', expired, 'hooks.example.test'],
    ['wrong host name', valid, 'other.example.test'],
  ])('rejects a certificate: %s', async (reason, cert, host) => {
    const { port, requests } = await secure(cert)
    const url = `https://${host}:${port}/`
    const error = `the certificate is not valid: ${reason}`
    expect(await send(url)).toMatchObject({ status: null, error, timedOut: false })
    expect(await door().contact(url, 20_000)).toEqual({
      stoppedBy: 'certificate',
      error,
      certifiedUntil: null,
    })
    expect(requests).toEqual([])
  })

  test('rejects a certificate with an unknown issuer, such as a missing intermediate certificate', async () => {
    // Node's server adds the certificates from the default store.
    setDefaultCACertificates(trusted)
    const { port } = await secure(valid)
    const { error } = await send(`https://hooks.example.test:${port}/`)
    setDefaultCACertificates([...trusted, authority])
    expect(error).toBe(
      'the certificate is not valid: its issuer is not known; is the intermediate certificate missing?',
    )
  })

  test.each([
    [
      'has no certificate for the hostname',
      { SNICallback: (_name: string, answer: (error: Error) => void) => answer(new Error('unknown')) },
      /^the connection was closed before an answer came$|^the server (?:has no certificate for this host name|refused)/,
    ],
    [
      'has only an old version of TLS',
      { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
      'no common version of TLS; enable TLS 1.2 or 1.3',
    ],
    ['speaks HTTP/2 only', { ALPNProtocols: ['h2'] }, 'the server accepts only HTTP/2; enable HTTP/1.1'],
  ])('explains the failure of a server that %s', async (_what, options, words) => {
    const { port } = await secure(valid, options)
    expect((await send(`https://hooks.example.test:${port}/`)).error).toMatch(words)
  })

  test('checks the certificate of each connection', async () => {
    let cert = valid
    const server = createTlsServer({ key, cert })
    const { port } = await serve((socket) => socket.write(closing), server)
    const fetch = door()
    const url = `https://hooks.example.test:${port}/`
    expect(await post(fetch, url)).toMatchObject({ status: 200 })
    cert = expired
    server.setSecureContext({ key, cert })
    expect(await post(fetch, url)).toMatchObject({
      error: 'the certificate is not valid: expired',
    })
  })

  test('reports a server without TLS', async () => {
    const { port } = await serve(
      () => undefined,
      createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    expect((await send(`https://127.0.0.1:${port}/`)).error).toBe(
      'the port answers without TLS; is it the port of http?',
    )
  })
})
