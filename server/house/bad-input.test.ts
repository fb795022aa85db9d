import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyProcedure, callTRPCProcedure } from '@trpc/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { createUser } from '#e2e/create-user.ts'
import { changeDeals, failure, makeReceivingPartner, outcomeOf } from '#e2e/delivery-queue.ts'
import { encryptionKey } from '#e2e/dispatchers.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { requestLimits, statementLimits } from '../access/admission-limits.ts'
import type { Context } from '../access/procedure.ts'
import type { Role } from '../accounts/role.ts'
import { listPartners } from '../accounts/store.ts'
import { Slots } from '../admission/slots.ts'
import { api, streams } from '../api.ts'
import { causeOf, statusOf, toApiError } from '../errors.ts'
import { directoryStorage } from '../files/disk-storage.ts'
import { storagesOf } from '../files/storage.ts'
import { bodyMaxBytes } from '../http/policy.ts'
import { parseCidrs } from '../net/ip-address.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { leaseDue, recordAttempts } from '../webhooks/queue-store.ts'
import { type SafeFetch, makeSafeFetch } from '../webhooks/safe-fetch.ts'

// Sends invalid values in every field of every procedure, as every kind of actor. None may cause a 500 or expose a
// library's error message.

type Schema = z.core.$ZodType & z.ZodType

/** Valid inputs whose parts depend on each other. */
const wholes: Record<string, unknown> = {
  'events.reconcile': { deals: [{ id: 2, lastModified: null }], after: 1, upTo: 3 },
}

/** Valid values; each leaf of an input takes the first that it accepts. */
const samples = [
  1,
  '1',
  'acme',
  'ana@acme.example',
  'token.created',
  '2026-03-01',
  '2026-W48',
  'last-7-days',
  '2026-03-01T17:20:05.000Z',
  'America/Denver',
  'correct horse battery',
  '0123456789abcdef',
  '8f2c1a90b3d4',
  'create',
  'stage',
  ['deal.created'],
  '',
  true,
  undefined,
  new Date('2026-03-01'),
  new Uint8Array(1),
  60,
]

const nest = (wrap: (inner: unknown) => unknown) =>
  Array.from({ length: 100_000 }).reduce<unknown>(wrap, null)

const hostile: Record<string, unknown> = {
  NUL: '\0',
  'NUL within': 'a\0b',
  'half a pair': '\ud800',
  'the other half within': 'a\udc00b',
  'as much text as comes in': 'x'.repeat(bodyMaxBytes),
  'as many spaces': ' '.repeat(bodyMaxBytes),
  'control characters': '\u001b[2J\n',
  'text that grows': 'ﷺ'.repeat(60),
  quotes: '\'"\\%_;--',
  digits: '9'.repeat(400),
  'no text': '',
  'a space': ' ',
  __proto__: '__proto__',
  '2^31': 2 ** 31,
  '2^31 - 1': 2 ** 31 - 1,
  '2^40': 2 ** 40,
  '2^53': 2 ** 53,
  '2^53 - 1': 2 ** 53 - 1,
  '1e308': 1e308,
  '5e-324': 5e-324,
  '-1': -1,
  '0': 0,
  '-2^31 - 1': -(2 ** 31) - 1,
  '1.5': 1.5,
  'an int64': 2n ** 63n - 1n,
  null: null,
  undefined: undefined,
  true: true,
  'a list': [1, 'x', null],
  'no list': [],
  'a long list': Array.from({ length: 10_000 }, (_, index) => index),
  'an object': { a: 1 },
  'an inherited name': JSON.parse('{"__proto__":{"id":1},"constructor":1}'),
  'the first date': new Date(-8.64e15),
  'the last date': new Date(8.64e15),
  'deep lists': nest((inner) => [inner]),
  'deep objects': nest((inner) => ({ a: inner })),
}

/**
 * Parsing does not depend on the actor, but queries differ for one partner and for all. For one partner, these actors
 * take turns; for all, an operator calls. Of large inputs, each side sends half of the values.
 */
const ofOnePartner = ['a member', 'an admin', 'an operator as a partner']
const manyPlaces = 20

/** The path of a value in an input. */
type Place = string[]

/** Objects that several procedures use, such as the filter of deals; their fields are tested in one procedure. */
const walkedObjects = new Set<Schema>()

/** Returns a valid input with all optional parts, and the paths in it. */
function walk(schema: Schema, place: Place = []): { sample: unknown; places: Place[] } {
  const { def } = schema._zod as { def: { type: string } & Record<string, any> }
  const isKnown = walkedObjects.has(schema)
  if (def.type === 'object' && place.length > 0) walkedObjects.add(schema)
  const within = (parts: [string, Schema][], make: (values: [string, unknown][]) => unknown) => {
    const walked = parts.map(([name, part]) => [name, walk(part, [...place, name])] as const)
    return {
      sample: make(walked.map(([name, { sample }]) => [name, sample])),
      places: [place, ...(isKnown ? [] : walked.flatMap(([, { places }]) => places))],
    }
  }
  switch (def.type) {
    case 'object':
      return within(Object.entries(def['shape'] as Record<string, Schema>), Object.fromEntries)
    case 'record':
      return within(
        [[String([...(def['keyType'] as z.core.$ZodType)._zod.values!][0]), def['valueType'] as Schema]],
        Object.fromEntries,
      )
    case 'array':
      return within([['0', def['element'] as Schema]], (values) => values.map(([, value]) => value))
    case 'optional':
    case 'nullable':
    case 'default':
      return walk(def['innerType'] as Schema, place)
    case 'pipe':
      if ((def['in'] as Schema)._zod.def.type === 'transform') return walk(def['out'] as Schema, place)
  }
  const good = [...(schema._zod.values ?? []), ...samples].filter((value) => schema.safeParse(value).success)
  if (good.length === 0) throw new Error(`No sample fits ${place.join('.')}: add one`)
  return { sample: good[0], places: [place] }
}

/** Returns the input with the value at this path. */
function put(input: unknown, [name, ...rest]: Place, value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(input)) return [put(input[0], rest, value)]
  return { ...(input as object), [name]: put((input as Record<string, unknown>)[name], rest, value) }
}

let database: TestDatabase
let dataDir: string
let safeFetch: SafeFetch
let askers: Record<string, Context>
const underway: Promise<unknown>[] = []
const errorOf = (work: Promise<void>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** Starts reading a streamed response, because errors may only occur then. */
async function read(response: Promise<unknown>): Promise<void> {
  const body = await response
  if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
    for await (const _ of body as AsyncIterable<unknown>) break
}

/** Zod's default messages, which clients must not see. */
const libraryWords = /(?:^|: )(?:Invalid|Too (?:big|small)|Unrecognized|Expected|Required)\b/

const { stackTraceLimit } = Error
beforeAll(async () => {
  // Stack traces of the many errors would take most of the time.
  Error.stackTraceLimit = 0
  database = await createTestDatabase()
  const { db } = database
  dataDir = await mkdtemp(join(tmpdir(), 'bad-input-'))
  const endpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }
  const resolve = async () => ['127.0.0.1']
  safeFetch = makeSafeFetch(endpointRules, resolve)
  const services = {
    db,
    encryptionKey,
    endpointRules,
    resolve,
    mailer: { send: async () => true },
    anonymous: { countWork: () => 0 },
    admission: { requests: new Slots(requestLimits), statements: new Slots(statementLimits) },
    background: ((_kind, _key, run) => underway.push(run()) > 0) satisfies Services['background'],
    config: {
      eventRetentionDays: 90,
      publicUrl: 'https://deals.example.com',
      dataDir,
      hubspotUrl: 'http://127.0.0.1:9',
      oidc: null,
      fileUrlTtlS: 60,
    },
    log: { warn() {} },
    storages: storagesOf(directoryStorage({ directory: join(dataDir, 'files') }), null),
    fileKey: Buffer.alloc(32),
    asOf: { get: () => null },
    webhooks: { safeFetch, timeoutMs: 1000, retry: { scheduleMs: [0], throttleMs: 0 } },
  } as unknown as Services
  // One of each resource, mostly with id 1; the user is none of the actors.
  const partnerId = await makeReceivingPartner(db, { create: 'http://127.0.0.1:9/' })
  const { slug } = (await listPartners(db))[0]!
  await changeDeals(db, partnerId, [1n])
  const [delivery] = await leaseDue(db, { partnerId, kind: 'create' }, 1, [], 60_000)
  await recordAttempts(db, [outcomeOf(delivery!, { ...failure, state: 'failed', waitMs: null })], 1e9)
  await issueToken(db, { partnerId, name: 'CRM', expiresAt: null })

  await createUser(db, {
    email: 'nia@acme.example',
    name: 'Nia',
    password: 'correct horse battery',
    role: 'member',
    partnerId,
  })

  const contextOf = (role: Role, slug: string | null = null) => signedIn(services, { role, partnerId, slug })
  askers = {
    nobody: { services, actor: null, ifNoneMatch: () => false },
    'a member': await contextOf('member'),
    'an admin': await contextOf('admin'),
    'an operator': await contextOf('operator'),
    'an operator as a partner': await contextOf('operator', slug),
  }
  await api.createCaller(askers['a member']!).views.save({ name: 'Mine', query: '', isShared: true })
  const { id } = await api
    .createCaller(askers['an operator']!)
    .imports.begin({ fileName: 'deals.ndjson', sizeBytes: 10, partner: slug, events: true })
  expect(id).toBe(1)
})
afterAll(async () => {
  Error.stackTraceLimit = stackTraceLimit
  await Promise.allSettled(underway)
  await safeFetch.close()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

const procedures = [api, streams].flatMap((router) =>
  Object.entries(router._def.procedures as unknown as Record<string, AnyProcedure>).map(
    ([name, procedure]) => ({ name, procedure, router }),
  ),
)

test.each(procedures)(
  '$name',
  async ({ name, procedure, router }) => {
    const { type, inputs } = procedure._def as unknown as { type: 'query' | 'mutation'; inputs: Schema[] }
    const [schema] = inputs
    const { places, ...walked } = schema === undefined ? { sample: undefined, places: [[]] } : walk(schema)
    const sample = wholes[name] ?? walked.sample
    if (schema !== undefined) expect(schema.safeParse(sample).error, 'the sample').toBeUndefined()
    const failures: string[] = []
    const statuses = new Set<number>()
    const send = async (who: string, place: Place, what: string) => {
      const error = await errorOf(
        read(
          callTRPCProcedure({
            router,
            path: name,
            type,
            ctx: askers[who]!,
            getRawInput: async () => put(sample, place, hostile[what]),
            signal: undefined,
            batchIndex: 0,
          }),
        ),
      )
      const rejection = error === undefined ? null : toApiError(error)
      const status = rejection === null ? 200 : statusOf[rejection.code]
      statuses.add(status)
      if (status >= 500)
        failures.push(`${who}: ${what} as ${place.join('.') || 'the input'}: ${causeOf(error)}`)
      for (const line of rejection?.errors ?? [])
        if (libraryWords.test(line)) failures.push(`${what} as ${place.join('.')}: ${line}`)
      return status
    }
    // A procedure without an input ignores it.
    const values = schema === undefined ? ['an object'] : Object.keys(hostile)
    for (const [index, place] of places.entries()) {
      for (const [at, what] of values.entries()) {
        const turn = at + index
        const isWhole = places.length <= manyPlaces
        if (schema === undefined || turn % 5 === 0) await send('nobody', place, what)
        if (isWhole || turn % 2 === 0) await send('an operator', place, what)
        if (!isWhole && turn % 2 === 0) continue
        for (let next = 0; next < ofOnePartner.length; next++) {
          const who = ofOnePartner[(turn + next) % ofOnePartner.length]!
          const isAllowed = (await send(who, place, what)) !== statusOf.FORBIDDEN
          if (isAllowed && schema !== undefined) break
        }
      }
    }
    for (const outcome of await Promise.allSettled(underway.splice(0))) {
      if (outcome.status === 'rejected') failures.push(`in the background: ${causeOf(outcome.reason)}`)
    }
    expect(failures).toEqual([])
    // At least one actor passed authorization.
    expect([200, 400, 404].some((status) => statuses.has(status))).toBe(true)
  },
  60_000,
)
