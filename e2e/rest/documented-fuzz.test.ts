import formats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { openApiJson } from '#server/http/openapi.ts'
import { expect, test } from './rest-test.ts'

// Generated requests from the OpenAPI document: responses always match it.

const document = JSON.parse(openApiJson())
const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema(document, 'document')

const validators = new Map<string, ReturnType<typeof ajv.compile>>()
function validatorOf(schema: object) {
  const key = JSON.stringify(schema)
  const validator =
    validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components', '"document#/components')))
  validators.set(key, validator)
  return validator
}

const operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

const nasty = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '2',
    '-1',
    '+1',
    '1.0',
    '1e1',
    '0x1',
    '٣',
    '25',
    '26',
    '2147483647',
    '2147483648',
    '9223372036854775807',
    '9223372036854775808',
    '../../etc/passwd',
    "' or 1=1 --",
    '<script>',
    '%00',
    '\u0000',
    '__proto__',
    'null',
    'NaN',
    ' 1',
    '1 ',
    '𝟙',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer().map(String),
)

const url = fc.oneof(
  nasty,
  fc.constantFrom(
    'http://localhost/x',
    'https://127.0.0.1/',
    'http://[::1]/',
    'https://169.254.169.254/',
    'https://10.0.0.1',
    'http://2130706433/',
    'https://a.internal',
    'https://u:p@localhost',
    `https://localhost/${'x'.repeat(2100)}`,
  ),
)

const dealId = fc.oneof(
  fc.constantFrom(8_000_000_001, 8_000_000_002, 0, -1, 1.5, 2 ** 53, 1e19, '1', null),
  fc.integer(),
)
const time = fc.oneof(
  fc.constantFrom(
    '2026-03-01T17:20:05.000Z',
    '2026-03-01T10:20:05-07:00',
    '2026-02-30T00:00:00Z',
    '',
    null,
    5,
  ),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
)
const copy = fc.record(
  {
    deals: fc.array(fc.record({ id: dealId, lastModified: time }, { requiredKeys: ['id'] }), {
      maxLength: 3,
    }),
    after: dealId,
    upTo: dealId,
  },
  { requiredKeys: ['deals'] },
)

const body = fc.oneof(
  copy.map((value) => JSON.stringify(value)),
  fc
    .record(
      { createURL: fc.oneof(url, fc.constant(null)), updateURL: fc.oneof(url, fc.constant(null)) },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.json(),
  nasty,
)

const request = fc.record({
  operation: fc.constantFrom(...operations),
  token: fc.constantFrom('own', 'own', 'own', 'own', 'other', 'internal', 'narrow', 'wrong', 'none'),
  id: fc.oneof(nasty, fc.constantFrom('own id', 'other id')),
  query: fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('page', 'size', 'partner', 'after', 'limit', '__proto__', 'constructor', 'toString'),
        nasty,
      ),
      nasty,
    ),
    { maxLength: 4 },
  ),
  contentType: fc.constantFrom(
    'application/json',
    'application/json; charset=utf-8',
    'application/vnd.api+json',
    'text/plain',
    '',
  ),
  ifNoneMatch: fc.constantFrom(undefined, '*', '"x"', 'W/"1-2-3-4", "y"', ',,,'),
  body,
})

const encode = (text: string) => encodeURIComponent(text.toWellFormed())

test(
  '600 requests made up from the document are answered as the document says',
  { timeout: 180_000 },
  async ({ system }) => {
    const own = await system.makePartner({ deals: [{ id: 8_000_000_001n, dealname: 'Own' }] })
    const other = await system.makePartner({ deals: [{ id: 8_000_000_002n, dealname: 'Other' }] })
    const narrow = await system.makePartner({ scopes: ['webhooks:read'] })
    const tokens: Record<string, string> = {
      own: own.token,
      other: other.token,
      narrow: narrow.token,
      internal: await system.makeInternalToken(),
      wrong: `pd_${'x'.repeat(36)}`,
    }
    const ids = new Map([
      ['own id', '8000000001'],
      ['other id', '8000000002'],
    ])
    const statuses = new Map<number, number>()

    await fc.assert(
      fc.asyncProperty(
        request,
        async ({
          operation: { path, method, operation },
          token,
          id,
          query,
          contentType,
          ifNoneMatch,
          body,
        }) => {
          const target = path.replace('{id}', encode(ids.get(id) ?? id) || '%20')
          const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
          const response = await fetch(`${system.url}${target}${search === '' ? '' : `?${search}`}`, {
            method,
            headers: {
              ...(token === 'none' ? {} : { Authorization: `Bearer ${tokens[token]}` }),
              ...(ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch }),
              ...(method === 'POST' ? { 'Content-Type': contentType } : {}),
            },
            ...(method === 'POST' ? { body } : {}),
          })
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
          const text = await response.text()
          const told = `${method} ${target}?${search} ${response.status} ${text.slice(0, 300)}`
          // "." and ".." as an id become another path before they are sent.
          const documented =
            new URL(response.url).pathname === target
              ? operation.responses[response.status]
              : { content: undefined }
          expect(response.status, told).toBeLessThan(500)
          expect(documented, told).toBeDefined()
          expect(response.headers.get('x-request-id'), told).toMatch(/^[0-9a-f-]{36}$/)
          const schema = documented.content?.['application/json'].schema
          if (schema === undefined) return
          const answer = JSON.parse(text)
          const valid = validatorOf(schema)
          expect(valid(answer), `${told} ${JSON.stringify(valid.errors)}`).toBe(true)
          if (response.status >= 400) expect(Object.keys(answer)).toEqual(['code', 'message', 'errors'])
        },
      ),
      { seed: 20_261_121, numRuns: 600 },
    )

    // The requests pass the first check: every kind of response is among them.
    for (const status of [200, 304, 400, 401, 403, 404, 415])
      expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5)
  },
)
