import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { tokenPrefix } from '#server/tokens/policy.ts'

/** A received response. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  /** Body as received, possibly compressed. */
  bytes: Buffer
  /** Decompressed body as text. */
  text: string
  /** Body as JSON. Numbers beyond 2^53 lose digits, so tests look for exact IDs in `text`. */
  json: any
}

export interface Ask {
  token?: string | undefined
  /** Headers to send. Undefined values are omitted. */
  headers?: Record<string, string | string[] | undefined>
  /** Sent as `application/json` unless `headers` has another content type. */
  json?: unknown
  body?: string | Buffer | undefined
  /** Sends the body in chunks, without a length. */
  chunked?: boolean
}

/**
 * Sends a request like a partner's system. `what` is a method and a target, such as `GET /api/deals?page=2`;
 * the target is sent unchanged.
 */
export function ask(
  { url }: { url: string },
  what: string,
  { token, headers = {}, json, body, chunked = false }: Ask = {},
): Promise<Answer> {
  const [method, target] = what.split(/ (.*)/s) as [string, string]
  const content = json === undefined ? body : JSON.stringify(json)
  return new Promise((resolve, reject) => {
    // Use a new connection for every request, so that tests do not share connections.
    const call = request(url, {
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
    call.once('error', reject)
    call.once('response', (response) => {
      // Ignore later errors: a server that has rejected a body need not read the rest.
      call.off('error', reject).on('error', () => {})
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
      response.once('end', () =>
        resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(chunks))),
      )
    })
    call.end(content)
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

/** Pattern of request IDs. */
export const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** Expects exactly this error: the status, the three keys in order, and no other details. */
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

/** Expects a 400 response that names the problem. */
export function expectInvalid(answer: Answer, ...errors: string[]): void {
  expectError(answer, 400, 'BAD_REQUEST', 'The request is not valid', errors)
}

const unauthorized = {
  'no token': 'A bearer token is required',
  'another header': 'The Authorization header must be Bearer, a space and the token',
  'a bad token': 'The token is not valid',
}

/** Expects a 401 response with the message and challenge for the kind of credentials that were sent. */
export function expectUnauthorized(answer: Answer, sent: keyof typeof unauthorized): void {
  expectError(answer, 401, 'UNAUTHORIZED', unauthorized[sent])
  assert.equal(
    answer.headers['www-authenticate'],
    sent === 'a bad token' ? 'Bearer error="invalid_token"' : 'Bearer',
  )
  assert.deepEqual(
    Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit')),
    [],
  )
}

/** Returns a response's headers except those that differ between responses. */
export function lastingHeaders({ headers }: Answer): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:date|x-request-id|x-ratelimit-.*)$/.test(name)),
  )
}

/** Repeats a request while the process responds that it is too busy (503). */
export async function untilTaken<Answer extends { status: number | string }>(
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
  }
}

/** Matches texts that no log line may contain: tokens, signed URLs, SQL statements and code locations. */
export const secret = new RegExp(
  `${tokenPrefix}[0-9A-Za-z]{36}|signature=|expires=|Bearer|Failed query|select |at Object\\.`,
)
