import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import formats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from '../fixtures.ts'
import { type Answer, ask } from './client.ts'
import { addFile, bringIn, newDeals } from './deals.ts'

// Hostile requests, documented or not, eight at a time. None may break the service, get an undocumented
// response, or leak another partner's data.

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'public', 'openapi.json'), 'utf8'),
)
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema({ $id: 'document', components: document.components })
const validators = new Map<string, ValidateFunction>()

function validatorOf(schema: object): ValidateFunction {
  const key = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
  const validator = validators.get(key) ?? ajv.compile(JSON.parse(key))
  validators.set(key, validator)
  return validator
}

const documented = Object.entries<Record<string, any>>(document.paths)
const methods =
  'GET GET GET POST POST HEAD PUT PATCH DELETE OPTIONS TRACE PROPFIND LOCK M-SEARCH QUERY PURGE'.split(' ')
const prefixes =
  '/api/ /api/deals/ /api/files/ /api/webhook/ /files/ /api/trpc/ /api/auth/ / /_next/ /deals/'.split(' ')
const headerNames = (
  'if-none-match accept-encoding accept range cookie origin x-forwarded-for x-forwarded-host x-http-method-override ' +
  'content-type content-encoding expect upgrade x-middleware-subrequest next-action rsc'
).split(' ')

// Everything an HTTP client can send. front-door.spec.ts covers the rest.
const onTheLine = (text: string) =>
  text.replaceAll(/[^!-~]/g, (character) => encodeURIComponent(character.toWellFormed()))
const inHeader = (text: string) => text.replaceAll(/[^\t -~\u00a0-\u00ff]/g, '')

const hostile = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    '2147483648',
    '9223372036854775808',
    '9'.repeat(300),
    '%00',
    '%ff',
    '%',
    '%zz',
    '%2e%2e%2f',
    '../',
    '..%5c',
    '__proto__',
    'constructor',
    "' or 1=1--",
    '$(id)',
    '{{7*7}}',
    '${7*7}',
    '<svg onload=x>',
    '\u0000',
    '\ud800',
    '\u202e',
    '🏠',
    'null',
    'undefined',
    'NaN',
    'true',
    '[]',
    '{}',
    '?',
    '#',
    '&',
    '=',
    ';',
    '//',
    '\\',
    '%0d%0aSet-Cookie:x=y',
    'a'.repeat(3000),
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
)

const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...documented.map(([name]) => name)),
        fc.oneof(hostile, fc.constantFrom('{own}', '{other}', '{own file}', '{other file}')),
      )
      .map(([name, id]) => name.replace('{id}', id)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...prefixes), hostile).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.array(hostile, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`) },
)

const copyId = fc.oneof(fc.integer(), fc.double(), hostile, fc.constant(null))
const copy = fc.record(
  {
    deals: fc.oneof(
      fc.array(fc.record({ id: copyId, lastModified: fc.oneof(hostile, fc.constant(null)) }), {
        maxLength: 3,
      }),
      fc.jsonValue(),
    ),
    after: copyId,
    upTo: copyId,
  },
  { requiredKeys: ['deals'] },
)

const request = fc.record({
  method: fc.constantFrom(...methods),
  path,
  query: fc.array(
    fc.tuple(
      fc.oneof(fc.constantFrom('page', 'size', 'partner', 'after', 'limit', 'expires', 'signature'), hostile),
      fc.oneof(hostile, fc.constantFrom('1', '2', '{other slug}')),
    ),
    { maxLength: 3 },
  ),
  token: fc.constantFrom('own', 'own', 'own', 'narrow', 'revoked', 'misspelled', 'none'),
  headers: fc.dictionary(fc.constantFrom(...headerNames), hostile.map(inHeader), { maxKeys: 3 }),
  body: fc.option(
    fc.oneof(
      fc.json(),
      hostile,
      copy.map((value) => JSON.stringify(value)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .record({ createURL: fc.oneof(hostile, fc.webUrl(), fc.constant(null)) })
        .map((value) => JSON.stringify(value)),
    ),
    { nil: undefined },
  ),
  isJson: fc.boolean(),
})

test('1,280 hostile requests cause no failure, get only documented responses, and see no other tenant', async ({
  system,
}) => {
  test.setTimeout(300_000)
  const [ownDeal, otherDeal] = newDeals(2)
  const own = await system.makePartner({ deals: [ownDeal!] })
  const other = await system.makePartner({ deals: [{ ...otherDeal!, notes: 'not theirs' }] })
  await bringIn(system, other, [{ id: otherDeal!.id, city: 'not theirs' }])
  const names: Record<string, string> = {
    '{own}': String(ownDeal!.id),
    '{other}': String(otherDeal!.id),
    '{other slug}': other.slug,
    '{own file}': await addFile(system, ownDeal!.id, { name: 'a.pdf', content: 'x' }),
    '{other file}': await addFile(system, otherDeal!.id, { name: 'not theirs.pdf', content: 'not theirs' }),
  }
  const named = (text: string) =>
    Object.entries(names).reduce((filled, [name, value]) => filled.replaceAll(name, value), text)
  const tokens: Record<string, string | undefined> = {
    own: own.token,
    narrow: (await system.makePartner({ scopes: [] })).token,
    revoked: `pd_${'0'.repeat(36)}`,
    misspelled: `${own.token.slice(0, -1)}~`,
    none: undefined,
  }
  const seen = new Map<number, number>()

  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 8, maxLength: 8 }), async (requests) => {
      await Promise.all(
        requests.map(async ({ method, path, query, token, headers, body, isJson }) => {
          const target = onTheLine(named(path))
          const search = query
            .map(([name, value]) => `${onTheLine(name)}=${onTheLine(named(value))}`)
            .join('&')
          const answer = await ask(system, `${method} ${target}${search === '' ? '' : `?${search}`}`, {
            token: tokens[token],
            body: method === 'TRACE' ? undefined : body,
            headers: { ...headers, ...(isJson ? { 'content-type': 'application/json' } : {}) },
          })
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          judge(answer, method, target, token)
        }),
      )
    }),
    { seed: 20_261_121, numRuns: 160 },
  )

  for (const status of [200, 400, 401, 403, 404, 405, 415])
    expect(seen.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(3)
  const { json } = await ask(system, `GET /api/deals/${otherDeal!.id}`, { token: other.token })
  expect([json.notes, json.city]).toEqual(['not theirs', 'not theirs'])
  expect((await ask(system, 'GET /api/webhook', { token: other.token })).text).toBe(
    '{"createURL":null,"updateURL":null}',
  )
  expect((await ask(system, 'GET /readyz')).status).toBe(200)
})

/** Expects a response that the service may send. */
function judge(answer: Answer, method: string, target: string, token: string): void {
  const { status, headers, text } = answer
  const description = `${method} ${target} as ${token}: ${status} ${text.slice(0, 300)}`
  expect(status, description).toBeLessThan(500)
  expect(headers['x-request-id'], description).toMatch(/^[\da-f-]{36}$/)
  expect(text.includes('not theirs'), description).toBe(false)
  const [bare] = target.split(/[?#]/) as [string]
  const ofRest =
    (bare === '/api' || bare.startsWith('/api/')) && !/^\/api\/(?:(?:auth|trpc)\/|openapi\.json$)/.test(bare)
  if (!ofRest || text.includes('This is not a valid HTTP request')) return
  // A path that is not normalized is refused before any other check.
  if (status === 400 && text.includes('The URL is not valid')) return
  expect(headers['set-cookie'], description).toBeUndefined()
  if (token !== 'own' && token !== 'narrow') expect(status, description).toBe(401)
  const isError = status >= 400
  if (method !== 'HEAD' && status !== 304) {
    expect(headers['content-type'], description).toBe('application/json')
    if (isError)
      expect(
        [Object.keys(answer.json), typeof answer.json.code, typeof answer.json.message],
        description,
      ).toEqual([['code', 'message', 'errors'], 'string', 'string'])
  }
  const known =
    documented.find(([name]) => name === bare) ??
    documented.find(([name]) => new RegExp(`^${name.replace('{id}', '[^/]+')}$`).test(bare))
  const operation = known?.[1][(method === 'HEAD' ? 'GET' : method).toLowerCase()]
  if (operation === undefined) {
    expect(status >= 200 && status < 300, description).toBe(false)
    return
  }
  const response = operation.responses[status]
  expect(response, description).toBeDefined()
  const schema = response.content?.['application/json'].schema
  if (schema === undefined || method === 'HEAD') return
  const validate = validatorOf(schema)
  expect(validate(answer.json), `${description} ${JSON.stringify(validate.errors)}`).toBe(true)
}
