import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { dealFields, personFields } from '#server/deals/deal.ts'
import { openApiJson } from '#server/http/openapi.ts'
import { openLocalSystem } from './local-system.ts'

const run = promisify(execFile)
const path = fileURLToPath(new URL('../public/openapi.json', import.meta.url))
const document = JSON.parse(openApiJson())

test('the committed document matches the code', async () => {
  expect(await readFile(path, 'utf8'), 'run: npm run openapi').toBe(openApiJson())
})

test('the served document is the committed one with the server named, and public', async () => {
  const system = await openLocalSystem()
  const response = await fetch(`${system.url}/api/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  const committed = await readFile(path, 'utf8')
  expect(await response.text()).toBe(
    committed.replace('"url": "/"', `"url": "${system.url.replace('127.0.0.1', 'localhost')}"`),
  )
  await system.close()
})

test('the document passes the recommended lint rules', async () => {
  const { stdout } = await run(
    'npx',
    ['redocly', 'lint', path, '--extends', 'recommended', '--format', 'json'],
    { env: { ...process.env, REDOCLY_TELEMETRY: 'off' } },
  )
  expect(JSON.parse(stdout.slice(stdout.indexOf('{'))).totals).toMatchObject({ errors: 0, warnings: 0 })
})

test('the document is OpenAPI 3.1 of version 1.0, with bearer security on every operation and the two webhooks', () => {
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(document.info.version).toBe('1.0')
  expect(document.components.securitySchemes).toEqual({
    Token: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
  })
  expect(
    Object.entries<object>(document.paths).flatMap(([name, methods]) =>
      Object.keys(methods).map((method) => `${method} ${name}`),
    ),
  ).toEqual([
    'get /api/deals',
    'get /api/deals/{id}',
    'get /api/deals/search',
    'get /api/events',
    'post /api/events/reconcile',
    'get /api/files/{id}',
    'get /api/insight/money',
    'get /api/insight/flow',
    'get /api/deals/{id}/messages',
    'get /api/webhooks',
    'post /api/webhooks',
    'get /api/webhooks/{id}',
    'delete /api/webhooks/{id}',
    'get /api/webhook',
    'post /api/webhook',
  ])
  for (const operation of operations()) expect(operation.security).toEqual([{ Token: [] }])
  expect(Object.keys(document.webhooks)).toEqual(['deal.created', 'deal.updated'])
})

test('every error answer has the error body', () => {
  for (const operation of operations()) {
    const errors = Object.entries<any>(operation.responses).filter(([status]) => Number(status) >= 400)
    expect(errors.map(([status]) => status)).toEqual(
      expect.arrayContaining(['401', '403', '429', '500', '503']),
    )
    for (const [, { content }] of errors)
      expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' })
  }
  expect(document.components.schemas.Error.required).toEqual(['code', 'message', 'errors'])
})

const typeOf = {
  text: { type: ['string', 'null'] },
  flag: { type: 'boolean' },
  time: { type: ['string', 'null'], format: 'date-time' },
  double: { type: ['number', 'null'], format: 'double' },
  money: { type: ['number', 'null'], format: 'double' },
  int64: { type: ['integer', 'null'], format: 'int64' },
  person: { anyOf: [{ $ref: '#/components/schemas/Person' }, { type: 'null' }] },
}

for (const [name, fields] of Object.entries({ Deal: dealFields, Person: personFields })) {
  test(`${name} has every field of the interface with its type, format, nullability, meaning and example`, () => {
    const { properties, required } = document.components.schemas[name]
    expect(Object.keys(properties)).toEqual(Object.keys(fields))
    expect(required).toEqual(Object.keys(fields))
    for (const [field, { kind, description }] of Object.entries(fields)) {
      const expected = field === 'id' ? { type: 'integer', format: 'int64' } : typeOf[kind]
      expect(properties[field], field).toMatchObject({ ...expected, description })
      if (kind !== 'person') expect(properties[field].examples, field).toHaveLength(1)
    }
  })
}

test('page and size have the bounds and defaults of the interface', () => {
  const parameters = Object.fromEntries(
    document.paths['/api/deals'].get.parameters.map(({ name, schema }: any) => [name, schema]),
  )
  expect(parameters.page).toMatchObject({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 2_147_483_647,
    default: 1,
  })
  expect(parameters.size).toMatchObject({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    maximum: 25,
    default: 10,
  })
})

function operations(): any[] {
  return Object.values<object>(document.paths).flatMap((methods) => Object.values(methods))
}
