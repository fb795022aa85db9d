import { execFile, spawnSync } from 'node:child_process'
import * as crypto from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import {
  ApiError,
  type Deal,
  NoResponseError,
  type Options,
  PartnerDeals,
  type Person,
  SignatureError,
  parse,
  verify,
} from '#public/clients/partner-deals.ts'
import { dealFields, personFields } from '#server/deals/deal.ts'
import { sign } from '#server/webhooks/signature.ts'
import { openLocalSystem } from '../local-system.ts'
import { listenLocally } from '../loopback.ts'
import { addFile, bringIn, newIds } from './deals.ts'

// Both clients against servers that behave like real servers and proxies.

const folder = join(import.meta.dirname, '../../public/clients')
const hasPython = spawnSync('python3', ['--version']).status === 0
const run = promisify(execFile)

/** Result of a client's call: the value or the error. */
interface Outcome {
  value?: unknown
  error?: string
  message?: string
  status?: number
  code?: string
  errors?: string[]
  requestId?: string | null
  retryAfterMs?: number | null
  continueAfter?: number | null
}

interface Call {
  js: (client: PartnerDeals) => Promise<unknown>
  python: string
}

const settings = { token: 'pd_x', timeoutMs: 10_000, retries: 3, maxWaitMs: 5000 }
type Settings = Partial<typeof settings>

async function callJs(url: string, { js }: Call, options: Settings): Promise<Outcome> {
  try {
    return { value: await js(new PartnerDeals({ ...settings, ...options, url } as Options)) }
  } catch (error) {
    const { name, message } = error as Error
    return { error: name, message, ...(error instanceof ApiError && error) }
  }
}

const driver = `
import json, os, sys
sys.path.insert(0, sys.argv[1])
from partner_deals import *
def first(count, pages):
    return [page for _, page in zip(range(count), pages)]
options = json.loads(sys.argv[3])
client = PartnerDeals(sys.argv[2], options["token"], timeout=options["timeoutMs"] / 1000, retries=options["retries"], max_wait=options["maxWaitMs"] / 1000)
try:
    outcome = {"value": eval(sys.argv[4])}
except ApiError as error:
    wait = None if error.retry_after is None else error.retry_after * 1000
    outcome = {"error": type(error).__name__, "message": str(error), "status": error.status, "code": error.code, "errors": error.errors, "requestId": error.request_id, "retryAfterMs": wait, "continueAfter": error.continue_after}
except Exception as error:
    outcome = {"error": type(error).__name__, "message": str(error)}
print(json.dumps(outcome))
`

async function callPython(url: string, { python }: Call, options: Settings): Promise<Outcome> {
  const words = ['-B', '-c', driver, folder, url, JSON.stringify({ ...settings, ...options }), python]
  // Bypass any proxy, which could not reach loopback.
  const env = { ...process.env, NO_PROXY: '*' }
  return parse((await run('python3', words, { env })).stdout)
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value))

const closing: (() => Promise<unknown>)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

/** Starts a server that gives these responses in order and records the requests. */
async function serve(...answers: Answer[]) {
  const requests: { target: string; method: string; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      requests.push({ target: request.url!, method: request.method!, headers: request.headers, body })
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      if (answer === undefined) response.writeHead(500).end()
      else answer(request, response, body)
    })
  })
  const { url, close } = await listenLocally(server)
  closing.push(close)
  return { url, requests }
}

const getDeal: Call = { js: (client) => client.deals.get('7'), python: 'client.deals.get(7)' }
const walk: Call = {
  js: (client) => Array.fromAsync(client.deals.walk()),
  python: 'list(client.deals.walk())',
}
const deal = '{"id":7,"stage":"Sold"}'
const busy = (status: number, retryAfter: string) =>
  json(status, { code: 'X', message: 'Busy', errors: null }, { 'Retry-After': retryAfter })

describe.each([
  { language: 'TypeScript', call: callJs, isInstalled: true },
  { language: 'Python', call: callPython, isInstalled: hasPython },
])('the API client in $language', ({ call, isInstalled }) => {
  // The Python client is only tested if Python is installed.
  const check = test.skipIf(!isInstalled)

  check('sends the token, and reads a compressed response', async () => {
    const { url, requests } = await serve((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(deal)),
    )
    expect(await call(url, getDeal, {})).toEqual({ value: { id: '7', stage: 'Sold' } })
    expect(requests[0]).toMatchObject({ target: '/api/deals/7', method: 'GET' })
    expect(requests[0]!.headers).toMatchObject({
      authorization: 'Bearer pd_x',
      'accept-encoding': expect.stringContaining('gzip'),
    })
  })

  check('keeps every digit of ids', async () => {
    const text = `{"id":9007199254740993,"owner":{"id":9223372036854775807,"userId" : -9007199254740995},"amount":30800,"notes":"\\"id\\":9007199254740993, \\\\"}`
    const { url } = await serve(json(200, text))
    const { value } = await call(url, getDeal, {})
    expect(value).toEqual({
      id: '9007199254740993',
      owner: { id: '9223372036854775807', userId: '-9007199254740995' },
      amount: 30_800,
      notes: '"id":9007199254740993, \\',
    })
  })

  check('repeats a busy call, never before Retry-After', async () => {
    const date = () => new Date(Date.now() + 2000).toUTCString()
    const startedAt = Date.now()
    const { url, requests } = await serve(
      busy(429, '1'),
      (request, response, body) => busy(503, date())(request, response, body),
      busy(520, '0'),
      json(200, deal),
    )
    expect(await call(url, getDeal, {})).toMatchObject({ value: { stage: 'Sold' } })
    expect(requests.length).toBe(4)
    expect(Date.now() - startedAt).toBeGreaterThan(1990)
  })

  check('throws what a retry cannot change, with its code and request', async () => {
    const refusal = { code: 'BAD_REQUEST', message: 'The request is not valid', errors: ['size: too many'] }
    const { url, requests } = await serve(json(400, refusal, { 'X-Request-Id': 'r1' }))
    expect(await call(url, getDeal, {})).toMatchObject({
      error: 'ApiError',
      message: 'The request is not valid: size: too many (request r1)',
      status: 400,
      code: 'BAD_REQUEST',
      errors: ['size: too many'],
      requestId: 'r1',
      retryAfterMs: null,
    })
    expect(requests.length).toBe(1)
  })

  check('throws instead of waiting for an hour, and says when to try again', async () => {
    const { url, requests } = await serve(busy(429, '3600'))
    expect(await call(url, getDeal, {})).toMatchObject({
      error: 'ApiError',
      status: 429,
      retryAfterMs: 3_600_000,
    })
    expect(requests.length).toBe(1)
  })

  check('reports an error page of a proxy', async () => {
    const { url } = await serve((_request, response) => response.writeHead(404).end('<html>Not here</html>'))
    expect(await call(url, getDeal, {})).toMatchObject({
      code: 'HTTP_404',
      message: '404 Not Found (request without id)',
    })
  })

  check('does not follow a redirect with the token', async () => {
    const other = await serve(json(200, deal))
    const { url } = await serve(json(302, '', { Location: `${other.url}/api/deals/7` }))
    expect(await call(url, getDeal, {})).toMatchObject({
      status: 302,
      message: expect.stringMatching(/^Redirected to http/),
    })
    expect(other.requests).toEqual([])
  })

  check('sends the token to no other host that a link names', async () => {
    const other = await serve(json(200, { deals: [] }))
    const { url, requests } = await serve(
      json(200, '{"deals":[{"id":1}]}', { Link: `<${other.url}/api/deals?page=2&cursor=x>; rel="next"` }),
      json(200, '{"deals":[{"id":2}]}', { Link: `<${other.url}/api/deals?page=1>; rel="first"` }),
    )
    expect(await call(url, walk, {})).toEqual({ value: [{ id: '1' }, { id: '2' }] })
    expect(requests.map(({ target }) => target)).toEqual(['/api/deals?size=25', '/api/deals?page=2&cursor=x'])
    expect(other.requests).toEqual([])
  })

  check.each(['//127.0.0.1:1/api', '@127.0.0.1:1/api', '.example/api'])(
    'sends requests only to the configured host, whatever the path of a link: %s',
    async (path) => {
      const { url, requests } = await serve(
        json(200, '{"deals":[{"id":1}]}', { Link: `<${path}>; rel="next"` }),
        json(200, '{"deals":[]}'),
      )
      expect(await call(url, walk, { retries: 0 })).toEqual({ value: [{ id: '1' }] })
      expect(requests).toHaveLength(2)
    },
  )

  check.each<[string, Answer]>([
    ['an HTML page with status 200', json(200, '<html>')],
    [
      'endless compressed bytes',
      (_request, response) =>
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 ** 27, ' '))),
    ],
  ])('treats %s as a missing response', async (_what, answer) => {
    const { url } = await serve(answer)
    expect(await call(url, getDeal, { retries: 0 })).toMatchObject({ error: 'NoResponseError' })
  })

  check('repeats a call whose connection was lost', async () => {
    const { url, requests } = await serve(({ socket }) => socket.destroy(), json(200, deal))
    expect(await call(url, getDeal, {})).toMatchObject({ value: { stage: 'Sold' } })
    expect(requests.length).toBe(2)
  })

  check('rejects a response that is cut off', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '99' }).write(deal.slice(0, 9))
      setTimeout(() => response.destroy(), 50)
    })
    expect(await call(url, getDeal, { retries: 0 })).toMatchObject({ error: 'NoResponseError' })
  })

  check.each<[string, Answer]>([
    ['never comes', () => {}],
    [
      'drips',
      (_request, response) => {
        const timer = setInterval(() => response.write(' '), 50)
        response.once('close', () => clearInterval(timer))
      },
    ],
  ])('ends a call whose response %s', async (_name, answer) => {
    const { url } = await serve(answer)
    const startedAt = Date.now()
    expect(await call(url, getDeal, { retries: 0, timeoutMs: 400 })).toMatchObject({
      error: 'NoResponseError',
      message: expect.stringContaining('No response from http'),
    })
    expect(Date.now() - startedAt).toBeLessThan(4000)
  })

  check('searches with every form of a value, page by page', async () => {
    const { url, requests } = await serve(
      json(200, '{"deals":[{"id":1}],"next":"c+1"}'),
      json(200, '{"deals":[{"id":2}],"next":null}'),
    )
    const search: Call = {
      js: (client) =>
        Array.fromAsync(
          client.deals.search({
            stage: ['Sold', 'A&B'],
            amountMin: 10.5,
            modifiedAfter: new Date('2026-03-01T17:20:05Z'),
            view: undefined,
          }),
        ),
      python:
        'list(client.deals.search(stage=["Sold", "A&B"], amountMin=10.5, modifiedAfter=parse_time("2026-03-01T17:20:05Z"), view=None))',
    }
    expect(await call(url, search, {})).toEqual({ value: [{ id: '1' }, { id: '2' }] })
    const query =
      '/api/deals/search?limit=100&stage=Sold&stage=A%26B&amountMin=10.5&modifiedAfter=2026-03-01T17%3A20%3A05.000Z'
    expect(requests.map(({ target }) => target)).toEqual([query, `${query}&cursor=c%2B1`])
  })

  check('follows events from next, also when a filter let none through', async () => {
    const { url, requests } = await serve(
      json(200, '{"events":[],"next":40,"last":40}'),
      json(200, '{"events":[{"id":"41","sequence":41}],"next":41,"last":41}'),
    )
    const follow: Call = {
      js: async (client) => {
        const pages = []
        for await (const page of client.events.follow(7, { filter: 'stage=Sold' }))
          if (pages.push(page) === 2) return pages
      },
      python: 'first(2, client.events.follow(7, filter="stage=Sold"))',
    }
    expect(await call(url, follow, {})).toMatchObject({
      value: [
        { events: [], next: 40 },
        { events: [{ sequence: 41 }], next: 41 },
      ],
    })
    const queries = requests.map(({ target }) => Object.fromEntries(new URLSearchParams(target.slice(12))))
    expect(queries.slice(0, 2)).toEqual([
      { limit: '100', after: '7', wait: '25', filter: 'stage=Sold' },
      { limit: '100', after: '40', wait: '25', filter: 'stage=Sold' },
    ])
  })

  check('says where to go on when events have expired', async () => {
    const link = '<https://deals.example.com/api/events?after=1042>; rel="next"'
    const refusal = { code: 'GONE', message: 'Read all deals again', errors: null }
    const { url, requests } = await serve(json(410, refusal, { Link: link }))
    const follow: Call = {
      js: (client) => client.events.follow(7).next(),
      python: 'first(1, client.events.follow(7))',
    }
    expect(await call(url, follow, {})).toMatchObject({
      error: 'ApiError',
      code: 'GONE',
      continueAfter: 1042,
    })
    expect(requests.length).toBe(1)
  })

  check('deletes a subscription that is already gone without an error', async () => {
    const { url, requests } = await serve(
      (_request, response) => response.writeHead(204).end(),
      json(404, { code: 'NOT_FOUND', message: 'Not found', errors: null }),
    )
    const remove: Call = {
      js: (client) => client.webhooks.delete('a/b'),
      python: 'client.webhooks.delete("a/b")',
    }
    expect([await call(url, remove, {}), await call(url, remove, {})]).toEqual([
      { value: true },
      { value: false },
    ])
    expect(requests[0]).toMatchObject({ method: 'DELETE', target: '/api/webhooks/a%2Fb' })
  })

  check('calls every operation of a running system', async () => {
    const system = await openLocalSystem()
    closing.push(() => system.close())
    const [id] = newIds(1)
    const partner = await system.makePartner({ deals: [{ id: id!, stage: 'Sold' }] })
    const file = await addFile(system, id!, { name: 'agreement.pdf', content: 'x' })
    await bringIn(system, partner, [{ id: id!, stage: 'Installed' }])
    const value = async (js: Call['js'], python: string) => {
      const outcome = await call(system.url, { js, python }, { token: partner.token })
      expect(outcome.error, outcome.message).toBeUndefined()
      return outcome.value
    }
    const hooks = 'https://crm.example.com/hooks'
    const filtered = { url: hooks, filter: 'stage=Sold', changed: ['stage'], name: 'CRM' }
    const parameters = `"${hooks}", filter="stage=Sold", changed=["stage"], name="CRM"`

    const create: [Call['js'], string] = [
      (client) => client.webhooks.create(filtered),
      `client.webhooks.create(${parameters})`,
    ]
    const created: any = await value(...create)
    expect(created).toMatchObject({ ...filtered, events: ['deal.created', 'deal.updated'] })
    const urls = { createURL: hooks, updateURL: null }
    for (const [js, python, expected] of [
      [(client) => client.files.get(file), `client.files.get("${file}")`, { name: 'agreement.pdf', size: 1 }],
      [
        (client) => client.webhooks.set({ createURL: hooks }),
        `client.webhooks.set(createURL="${hooks}")`,
        urls,
      ],
      [(client) => client.webhooks.get(), 'client.webhooks.get()', urls],
      [...create, created],
      [(client) => client.webhooks.list(), 'client.webhooks.list()', [created]],
      [(client) => client.webhooks.delete(created.id), `client.webhooks.delete("${created.id}")`, true],
      [
        (client) => client.events.list({ after: -1 }),
        'client.events.list(-1)',
        { events: [{ type: 'deal.updated', dealId: String(id) }], next: 2, last: 2 },
      ],
      [
        (client) => client.events.list({ filter: 'stage=Sold' }),
        'client.events.list(filter="stage=Sold")',
        { events: [{ filter: 'entered' }, { filter: 'left' }] },
      ],
    ] as [Call['js'], string, unknown][])
      expect({ value: await value(js, python) }, python).toMatchObject({ value: expected })
  })

  check.each([
    ['http://x', '', 'A token is required'],
    ['deals.example.com', 'pd_x', 'The URL must begin with https:// or http://'],
  ])('rejects the URL "%s" with the token "%s"', async (target, token, message) => {
    const create: Call = {
      js: async () => new PartnerDeals({ url: target, token }),
      python: `PartnerDeals("${target}", "${token}")`,
    }
    expect((await call('http://x', create, {})).message).toBe(message)
  })

  check('sends a token without the line break of its file', async () => {
    const { url, requests } = await serve(json(200, deal))
    await call(url, getDeal, { token: 'pd_x\n' })
    expect(requests[0]!.headers.authorization).toBe('Bearer pd_x')
  })
})

test.each([{}, { deals: null, next: null }, { deals: [] }, { message: 'busy' }])(
  'does not treat a response such as %j as the end of the list',
  async (page) => {
    const { url } = await serve(json(200, page))
    const { message } = await callJs(url, { js: (client) => client.deals.search().next(), python: '' }, {})
    expect(message).toContain('not a page of deals')
  },
)

test('aborting the signal ends a wait', async () => {
  const { url } = await serve(() => {})
  const signal = AbortSignal.timeout(100)
  const client = new PartnerDeals({ url, token: 'pd_x', signal })
  await expect(client.events.follow(0).next()).rejects.toThrow('timeout')
})

test('names the reason if all addresses of a host fail', async () => {
  const cause = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })
  const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
  const client = new PartnerDeals({ url: 'http://x', token: 'pd_x', retries: 0, fetch })
  await expect(client.deals.get('7')).rejects.toThrow('No response from http://x: ECONNREFUSED')
})

test('the Node client has exactly the fields of the interface', () => {
  expectTypeOf<keyof Deal>().toEqualTypeOf<keyof typeof dealFields>()
  expectTypeOf<keyof Person>().toEqualTypeOf<keyof typeof personFields>()
  expectTypeOf<NoResponseError>().toExtend<Error>()
})

test('preserves the content of all strings', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const texts = { value, text, nested: `"id":${text},"dealId":12345678901234567890}` }
      // Skip values in which an ID key has a numeric value, because the parser changes those.
      fc.pre(!/"(?:id|userId|dealId)":-?\d/.test(JSON.stringify({ value })))
      expect(parse(JSON.stringify(texts))).toEqual(JSON.parse(JSON.stringify(texts)))
    }),
  )
})

test.skipIf(!hasPython)('the Python client has exactly the fields of the interface', async () => {
  const names = '[list(Deal.__annotations__), list(Person.__annotations__)]'
  expect(await callPython('http://x', { ...getDeal, python: names }, {})).toEqual({
    value: [Object.keys(dealFields), Object.keys(personFields)],
  })
})

test.skipIf(!hasPython)(
  'the Python client parses times on versions whose fromisoformat() rejects Z',
  async () => {
    // Behaves like Python before 3.11.
    const fromisoformat =
      'lambda of, text: of.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z") if "Z" not in text else 1 / 0'
    const old = `type("Old", (datetime,), {"fromisoformat": classmethod(${fromisoformat})})`
    const python = `globals().update(old=${old}) or sys.modules["partner_deals"].__dict__.update(datetime=old) or str(parse_time("2026-03-01T17:20:05.000Z"))`
    expect(await callPython('http://x', { ...getDeal, python }, {})).toEqual({
      value: '2026-03-01 17:20:05+00:00',
    })
  },
)

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const oldSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const at = new Date('2026-03-01T17:20:05.000Z')
const body =
  '{"type":"deal.updated","dealId":"9007199254740993","data":{"id":9007199254740993,"notes":"日本 🙂 \u2028"}}'
const signedBy = (...secrets: string[]) => ({
  'webhook-id': 'm1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': sign({ id: 'm1', at, body: Buffer.from(body) }, secrets),
})

type Signed = { body?: string; headers?: Record<string, string>; secrets?: string | string[]; now?: Date }

function verifyJs({ body: sent = body, headers = signedBy(secret), secrets = secret, now = at }: Signed) {
  return verify(Buffer.from(sent), headers, secrets, { nowMs: now.getTime() })
}

function verifyPython({ body: sent = body, headers = signedBy(secret), secrets = secret, now = at }: Signed) {
  const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from partner_deals import verify
body, headers, secrets, now = json.loads(sys.argv[2])
print(json.dumps(verify(body.encode(), headers, secrets, now=now)))
`
  const words = ['-B', '-c', program, folder, JSON.stringify([sent, headers, secrets, now.getTime() / 1000])]
  const { status, stdout, stderr } = spawnSync('python3', words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1))
  return parse<any>(stdout)
}

describe.each([
  { language: 'TypeScript', check: verifyJs, isInstalled: true },
  { language: 'Python', check: verifyPython, isInstalled: hasPython },
])('signature verification in $language', ({ check, isInstalled }) => {
  const it = test.skipIf(!isInstalled)

  it('accepts our signatures and those of the Standard Webhooks library, which accepts ours', () => {
    expect(check({}).data.id).toBe('9007199254740993')
    const byLibrary = { ...signedBy(), 'webhook-signature': new Webhook(secret).sign('m1', at, body) }
    expect(check({ headers: byLibrary }).type).toBe('deal.updated')
    const now = new Date()
    const ours = {
      'webhook-id': 'm1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': sign({ id: 'm1', at: now, body: Buffer.from(body) }, [secret]),
    }
    expect(new Webhook(secret).verify(body, ours)).toMatchObject({ type: 'deal.updated' })
    expect(check({ headers: ours, now }).type).toBe('deal.updated')
  })

  it('accepts one valid signature of two, and either of two secrets', () => {
    expect(check({ headers: signedBy(oldSecret, secret) }).type).toBe('deal.updated')
    expect(check({ headers: signedBy(secret), secrets: [oldSecret, secret] }).type).toBe('deal.updated')
  })

  it('rejects a changed body, another secret, a missing header and another version', () => {
    expect(() => check({ body: body.replace('updated', 'created') })).toThrow('Invalid signature')
    expect(() => check({ secrets: oldSecret })).toThrow('Invalid signature')
    expect(() => check({ headers: {} })).toThrow('The header webhook-id is missing')
    const { 'webhook-signature': signature, ...rest } = signedBy(secret)
    expect(() =>
      check({ headers: { ...rest, 'webhook-signature': signature.replace('v1,', 'v2,') } }),
    ).toThrow('Invalid signature')
    expect(() => check({ headers: { ...rest, 'webhook-signature': 'v1,' } })).toThrow('Invalid signature')
  })

  it('rejects a timestamp more than five minutes off, or an invalid timestamp', () => {
    const minutes = (count: number) => new Date(at.getTime() + count * 60_000)
    expect(check({ now: minutes(5) }).type).toBe('deal.updated')
    for (const now of [minutes(5.1), minutes(-5.1)]) expect(() => check({ now })).toThrow('timestamp')
    for (const text of ['NaN', 'Infinity', '1772385605.5', '-1'])
      expect(() => check({ headers: { ...signedBy(secret), 'webhook-timestamp': text } })).toThrow(
        'timestamp',
      )
  })

  it('rejects an empty secret, which would accept any sender', () => {
    for (const empty of ['', 'whsec_', 'whsec_AAAA'])
      expect(() => check({ secrets: empty })).toThrow('whsec_')
  })
})

test('verify accepts fetch headers, and throws its own error type', () => {
  expect(verifyJs({ headers: new Headers(signedBy(secret)) as never }).type).toBe('deal.updated')
  expect(() => verifyJs({ secrets: oldSecret })).toThrow(SignatureError)
})

test('the Node-RED flow passes on only signed events, with exact ids', async () => {
  const flow: { type: string; func: string }[] = JSON.parse(
    await readFile(join(folder, 'node-red.json'), 'utf8'),
  )
  const { func } = flow.find(({ type }) => type === 'function')!
  const work = new Function('msg', 'env', 'crypto', func)
  const now = new Date()
  const receive = (headers: Record<string, string>, sent: string, key: string | undefined) =>
    work({ req: { headers }, payload: Buffer.from(sent) }, { get: () => key }, crypto)
  const headers = {
    'webhook-id': 'm1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': sign({ id: 'm1', at: now, body: Buffer.from(body) }, [oldSecret, secret]),
  }
  const [event, answer] = receive(headers, body, secret)
  expect(event.payload).toMatchObject({ type: 'deal.updated', data: { id: '9007199254740993' } })
  expect(answer.statusCode).toBe(204)
  for (const [sentHeaders, sent, key] of [
    [headers, body.replace('updated', 'created'), secret],
    [{ ...headers, 'webhook-timestamp': '1' }, body, secret],
    [{}, body, secret],
    [headers, body, undefined],
  ] as const)
    expect(receive(sentHeaders, sent, key)).toMatchObject([null, { statusCode: 401 }])
})

test.for([
  ['Node 20', 'types-node-20'],
  ['the newest Node', '@types/node'],
])('the client passes a strict type check with the types of %s', async ([, types]) => {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-types-'))
  const modules = join(import.meta.dirname, '../../node_modules')
  await mkdir(join(directory, 'node_modules/@types'), { recursive: true })
  await symlink(join(modules, types!), join(directory, 'node_modules/@types/node'))
  await copyFile(join(folder, 'partner-deals.ts'), join(directory, 'partner-deals.ts'))
  const options =
    '--strict --noEmit --target es2022 --module nodenext --types node --noUncheckedIndexedAccess'
  const words = [...options.split(' '), '--exactOptionalPropertyTypes', 'partner-deals.ts']
  const { stdout } = spawnSync(join(modules, '.bin/tsc'), words, { cwd: directory, encoding: 'utf8' })
  expect(stdout).toBe('')
  await rm(directory, { recursive: true })
})
