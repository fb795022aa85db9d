import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3'
import { TRPCError } from '@trpc/server'
import { DrizzleQueryError } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '#db/client.ts'
import { freePort } from '#db/free-port.ts'
import {
  ApiError,
  causeOf,
  databaseProblem,
  describeIssues,
  notFound,
  toApiError,
  unavailable,
} from './errors.ts'
import { ContentMissingError } from './files/storage.ts'
import { UndeliverableError } from './net/ip-address.ts'

const secret = 'select * from deals where owner = maria@example.com at db.internal:5432'
const withCode = (code: string) => Object.assign(new Error(secret), { code })

function shown({ code, message, errors, headers }: ApiError) {
  return { code, message, errors, headers }
}

const internal = {
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Something went wrong on our side',
  errors: null,
  headers: {},
}
const away = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The service cannot answer at the moment; try again shortly',
  errors: null,
  headers: { 'Retry-After': '2' },
}

test('an unavailable response has Retry-After, two seconds by default', () => {
  expect(new ApiError('SERVICE_UNAVAILABLE', 'Later').headers).toEqual({ 'Retry-After': '2' })
  const headers = { 'Retry-After': '60' }
  expect(new ApiError('SERVICE_UNAVAILABLE', 'Later', { headers }).headers).toEqual(headers)
  expect(new ApiError('NOT_FOUND', 'Gone').headers).toEqual({})
})

test('returns a rejection unchanged, however deeply nested', () => {
  const refusal = new ApiError('FORBIDDEN', 'This needs the scope deals:read', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
  expect(toApiError(refusal)).toBe(refusal)
  expect(toApiError(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: refusal }))).toBe(refusal)
  expect(toApiError(new Error(secret, { cause: new Error(secret, { cause: refusal }) }))).toBe(refusal)
  expect(shown(toApiError(notFound('Deal')))).toEqual({
    code: 'NOT_FOUND',
    message: 'Deal not found',
    errors: null,
    headers: {},
  })
})

test('a schema mismatch is a 400 that names each field', () => {
  const { error } = z
    .object({
      size: z.number({ error: 'must be a number' }),
      owner: z.object({ id: z.string({ error: 'must be text' }) }),
    })
    .safeParse({ size: 'x', owner: { id: 5 } })
  expect(describeIssues(error!)).toEqual(['size: must be a number', 'owner.id: must be text'])
  expect(shown(toApiError(new TRPCError({ code: 'BAD_REQUEST', cause: error })))).toEqual({
    code: 'BAD_REQUEST',
    message: 'The request is not valid',
    errors: ['size: must be a number', 'owner.id: must be text'],
    headers: {},
  })
  expect(describeIssues(z.string({ error: 'must be text' }).safeParse(5).error!)).toEqual(['must be text'])
})

test('lists the first of many problems, and the number of others', () => {
  const faults = (count: number) =>
    describeIssues(z.array(z.string({ error: 'must be text' })).safeParse(Array(count).fill(5)).error!)
  expect(faults(20)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}: must be text`))
  expect(faults(21)).toEqual([...faults(20).slice(0, 19), 'and 2 more'])
  expect(faults(100_000)).toEqual([...faults(20).slice(0, 19), 'and 99981 more'])
})

describe('an unexpected error is a 500 without details', () => {
  test.each([
    ['an error', new Error(secret)],
    ['a type error', new TypeError(secret)],
    [
      'a failed query',
      new DrizzleQueryError(
        secret,
        ['maria@example.com'],
        Object.assign(new Error(secret), { code: '42P01' }),
      ),
    ],
    ['a violated constraint', withCode('23505')],
    ['a file system error', withCode('ENOENT')],
    [
      'a procedure error',
      new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: secret, cause: new Error(secret) }),
    ],
    ['text', secret],
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    [
      'an object that looks like a rejection',
      { code: 'BAD_REQUEST', message: secret, errors: [secret], headers: {} },
    ],
  ])('hides the details of %s', (_what, thrown) => expect(shown(toApiError(thrown))).toEqual(internal))

  test('handles an error that is its own cause', () => {
    const error = new Error(secret)
    error.cause = error
    expect(shown(toApiError(error))).toEqual(internal)
  })
})

test.each([
  ['METHOD_NOT_SUPPORTED', 'METHOD_NOT_ALLOWED'],
  ['PARSE_ERROR', 'BAD_REQUEST'],
  ['NOT_FOUND', 'NOT_FOUND'],
  ['PAYLOAD_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
  ['SERVICE_UNAVAILABLE', null],
] as const)('the tRPC rejection %s becomes %s and loses its message', (code, shownCode) => {
  const rejection = { code: shownCode, message: 'The request is not valid', errors: null, headers: {} }
  expect(shown(toApiError(new TRPCError({ code, message: secret })))).toEqual(
    shownCode === null ? internal : rejection,
  )
})

describe('a temporarily unavailable database is a 503 with Retry-After', () => {
  // Codes from PostgreSQL's documentation, appendix A, followed by codes of the driver and of sockets.
  test.each([
    '08000',
    '08001',
    '08003',
    '08006',
    '53000',
    '53100',
    '53200',
    '53300',
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '57P05',
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'CONNECTION_DESTROYED',
    'CONNECT_TIMEOUT',
  ])('the code %s', (code) => {
    expect(shown(toApiError(withCode(code)))).toEqual(away)
    expect(shown(toApiError(new DrizzleQueryError(secret, [], withCode(code))))).toEqual(away)
  })

  test.each(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'])(
    'the code %s of a statement, but not of any other connection',
    (code) => {
      const ofStatement = Object.assign(withCode(code), { query: 'select 1', parameters: [] })
      expect(shown(toApiError(ofStatement))).toEqual(away)
      expect(shown(toApiError(new DrizzleQueryError(secret, [], ofStatement)))).toEqual(away)
      const elsewhere = Object.assign(withCode(code), { syscall: 'connect' })
      expect(shown(toApiError(elsewhere))).toEqual(internal)
      expect(shown(toApiError(new Error(secret, { cause: elsewhere })))).toEqual(internal)
    },
  )

  test.each(['23505', '40001', '42601', '22003', '5701', '57P0', 'x08006', '08006x', 'ENOENT', 'EACCES', ''])(
    'but not the permanent error code %j',
    (code) => {
      expect(shown(toApiError(withCode(code)))).toEqual(internal)
    },
  )

  test('a read-only database is a 503 as well', () => {
    const unchangeable = {
      ...away,
      message: 'The service accepts no changes at the moment; try again shortly',
    }
    expect(shown(toApiError(withCode('25006')))).toEqual(unchangeable)
    expect(shown(toApiError(new DrizzleQueryError(secret, [], withCode('25006'))))).toEqual(unchangeable)
  })

  test('an overloaded service is a 503 as well', () => expect(shown(unavailable())).toEqual(away))
})

test.each([
  ['25006', 'the database is read-only: it is a standby'],
  ['53300', 'the database is out of connections: raise its max_connections'],
  ['CONNECTION_NO_PRIMARY', 'none of the hosts in DATABASE_URL accepts writes'],
])('%s has an explanation for the operator that quotes no data', (code, begin) => {
  const error = new DrizzleQueryError(secret, [], withCode(code))
  expect(databaseProblem(error)).toContain(begin)
  expect(causeOf(error)).toBe(databaseProblem(error))
  expect(databaseProblem(error)).not.toContain(secret)
  expect(toApiError(error).code).toBe('SERVICE_UNAVAILABLE')
  expect(databaseProblem(withCode('57P01'))).toBeNull()
  expect(databaseProblem(undefined)).toBeNull()
})

describe('the unreachable service', () => {
  const errorOf = (work: Promise<unknown>) => work.then(fail, (error: unknown) => error)
  const fail = () => expect.unreachable()
  const ask = async (url: string) => {
    const sql = connect(url, {})
    const error = await errorOf(Promise.resolve(sql`select 1`))
    await sql.end({ timeout: 1 })
    return error
  }

  test('is the database if the database driver reports the error', async () => {
    const port = await freePort()
    const refused = await ask(`postgres://nobody@127.0.0.1:${port}/none`)
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
    expect(toApiError(refused)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    // The file of the Unix socket does not exist while the database is stopped.
    const missing = await ask(
      `postgres://nobody@${encodeURIComponent(join(tmpdir(), crypto.randomUUID()))}/none`,
    )
    expect(missing).toMatchObject({ code: 'ENOENT' })
    expect(toApiError(missing)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  test('is not the database if anything else reports the error', async () => {
    const port = await freePort()
    const client = new S3Client({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'none',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    })
    const errors = [
      await errorOf(client.send(new ListBucketsCommand({}))),
      await errorOf(fetch(`http://127.0.0.1:${port}`)),
      await errorOf(once(connectSocket(port, '127.0.0.1'), 'connect')),
      await errorOf(readFile(join(tmpdir(), crypto.randomUUID()))),
    ]
    for (const error of errors) expect(toApiError(error)).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
  })
})

// The pages' bundle has its own instance of each module, and checks for errors that the process throws.
test.each([
  ['./errors.ts', 'ApiError', ApiError],
  ['./net/ip-address.ts', 'UndeliverableError', UndeliverableError],
  ['./files/storage.ts', 'ContentMissingError', ContentMissingError],
])(
  'in %s, instanceof recognizes a %s thrown by another instance of the module',
  async (path, name, known) => {
    const twin = `${path}?twin`
    const module = (await import(/* @vite-ignore */ twin)) as Record<
      string,
      new (...texts: string[]) => Error
    >
    const Twin = module[name]!
    expect(Twin).not.toBe(known)
    const error = new Twin('GONE', 'A message')
    expect(error).toBeInstanceOf(known)
    expect(JSON.stringify(error)).not.toContain('partnerDeals')
    expect(new Error('other')).not.toBeInstanceOf(known)
  },
)
