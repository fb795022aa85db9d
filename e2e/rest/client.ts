import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'

/** An answer as it came over the wire. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  /** The body as it was sent, compressed if it was. */
  bytes: Buffer
  /** The body as text, decompressed. */
  text: string
  /** The body as JSON; numbers beyond 2^53 lose digits here, so that exact ids are looked for in `text`. */
  json: any
}

export interface Ask {
  token?: string | undefined
  /** Those that are undefined are not sent. */
  headers?: Record<string, string | string[] | undefined>
  /** Sent as `application/json`, unless `headers` say otherwise. */
  json?: unknown
  body?: string | Buffer | undefined
  /** Sends the body chunked, without its length. */
  chunked?: boolean
}

/** Asks as a partner's system would: `what` is a method and a target, such as `GET /api/deals?page=2`, sent as it is. */
export function ask(
  { url }: { url: string },
  what: string,
  { token, headers = {}, json, body, chunked = false }: Ask = {},
): Promise<Answer> {
  const [method, target] = what.split(/ (.*)/s) as [string, string]
  const content = json === undefined ? body : JSON.stringify(json)
  return new Promise((resolve, reject) => {
    // One connection a request: nothing that one test does to its connection can reach another.
    const asked = request(url, {
      method,
      path: target,
      agent: false,
      headers: {
        connection: 'keep-alive',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(chunked ? { 'transfer-encoding': 'chunked' } : lengthOf(content)),
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      },
    })
    asked.once('error', reject)
    asked.once('response', (response) => {
      // From here on the answer counts: a server that has refused a body need not read the rest of it.
      asked.off('error', reject).on('error', () => {})
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
      response.once('end', () =>
        resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(chunks))),
      )
    })
    asked.end(content)
  })
}

const lengthOf = (content: string | Buffer | undefined) =>
  content === undefined ? {} : { 'content-length': Buffer.byteLength(content) }

function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes
  if (encoding === 'gzip') return gunzipSync(bytes)
  return encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes
}

function answerOf(status: number, headers: IncomingHttpHeaders, bytes: Buffer): Answer {
  const text = decompress(bytes, headers['content-encoding']).toString()
  return {
    status,
    headers,
    bytes,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** Expects exactly this error: the status, the three keys in their order, and nothing else about it. */
export function expectError(
  answer: Answer,
  status: number,
  code: string,
  message: string,
  errors: string[] | null = null,
): void {
  assert.equal(answer.text, JSON.stringify({ code, message, errors }))
  assert.equal(answer.status, status)
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.equal(answer.headers['content-length'], String(answer.bytes.length))
  assert.match(String(answer.headers['x-request-id']), uuid)
}

/** Expects a 400 that names what is wrong. */
export function expectInvalid(answer: Answer, ...errors: string[]): void {
  expectError(answer, 400, 'BAD_REQUEST', 'The request is not valid', errors)
}

/** Expects a 401 with this challenge. */
export function expectUnauthorized(answer: Answer, sent: 'no token' | 'a bad token'): void {
  expectError(
    answer,
    401,
    'UNAUTHORIZED',
    sent === 'no token' ? 'A bearer token is required' : 'The token is not valid',
  )
  assert.equal(
    answer.headers['www-authenticate'],
    sent === 'no token' ? 'Bearer' : 'Bearer error="invalid_token"',
  )
  assert.deepEqual(
    Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit')),
    [],
  )
}

/** Returns the headers of an answer without those that differ from one answer to the next. */
export function lastingHeaders({ headers }: Answer): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:date|x-request-id|x-ratelimit-.*)$/.test(name)),
  )
}
