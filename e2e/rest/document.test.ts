import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import formats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiJson } from '#server/http/openapi.ts'
import { type Answer, ask, expectError } from './client.ts'
import { addFile, bringIn, newDeals } from './deals.ts'
import { dealKeys, doubles, flags, personKeys, roles, texts, times } from './interface.ts'
import { expect, test } from './rest-test.ts'

const path = join(import.meta.dirname, '..', '..', 'public', 'openapi.json')
const committed = readFileSync(path, 'utf8')
const document = JSON.parse(committed)
const schemas = document.components.schemas

const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: { int32: true, int64: true, double: true },
})
formats.default(ajv)
ajv.addVocabulary(['components', 'example'])
ajv.addSchema({ $id: 'document', components: document.components })
const validatorOf = (name: string): ValidateFunction => ajv.getSchema(`document#/components/schemas/${name}`)!

/** Expects the response to match the named schema and to have exactly its keys. */
function expectShape(answer: Answer, name: string): void {
  const validate = validatorOf(name)
  expect(validate(answer.json), JSON.stringify(validate.errors)).toBe(true)
  expect(Object.keys(answer.json)).toEqual(Object.keys(schemas[name].properties))
}

const nullable = (type: string, format?: string) => ({
  type: [type, 'null'],
  ...(format === undefined ? {} : { format }),
})
const id = { type: 'integer', format: 'int64' }

test("serves the committed document with the server's URL, without authentication", async ({ system }) => {
  const { status, headers, text } = await ask(system, 'GET /api/openapi.json')
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' })
  expect(JSON.parse(text).servers).toEqual([{ url: system.services.config.publicUrl }])
  // Parse both, because the limits of IDs lose digits in the committed document.
  expect({ ...JSON.parse(text), servers: document.servers }).toEqual(document)
  expect((await ask(system, 'GET /api/openapi.json', { token: 'pd_wrong' })).text).toBe(text)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const answer = await ask(system, `${method} /api/openapi.json`)
    expectError(answer, 405, 'METHOD_NOT_ALLOWED', 'The method is not allowed here')
    expect(answer.headers.allow).toBe('GET, HEAD')
  }
})

test('is also served as Swagger 2.0 for older programs', async ({ system }) => {
  const { status, headers, json } = await ask(system, 'GET /api/swagger.json')
  expect([status, headers['content-type'], json.swagger]).toEqual([200, 'application/json', '2.0'])
  expect(Object.keys(json.paths)).toEqual(
    Object.keys((await ask(system, 'GET /api/openapi.json')).json.paths),
  )
  expect((await ask(system, 'POST /api/swagger.json')).headers.allow).toBe('GET, HEAD')
})

test('the committed document matches the code, and passes the recommended lint rules', async () => {
  expect(committed, 'run: npm run openapi').toBe(openApiJson())
  const words = ['redocly', 'lint', path, '--extends', 'recommended', '--format', 'json']
  const { stdout } = await promisify(execFile)('npx', words, {
    env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
  })
  expect(JSON.parse(stdout.slice(stdout.indexOf('{'))).totals).toMatchObject({ errors: 0, warnings: 0 })
})

const operations = Object.entries<object>(document.paths).flatMap(([target, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({ name: `${method} ${target}`, ...operation })),
)

test('is OpenAPI 3.1 for version 1.0, with bearer security on every operation and no version in paths', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/)
  expect(document.info.version).toBe('1.0')
  expect(document.components.securitySchemes).toEqual({
    Token: expect.objectContaining({ type: 'http', scheme: 'bearer' }),
  })
  expect(operations.map(({ name }) => name)).toEqual([
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
  for (const { name, security, responses } of operations) {
    expect(security, name).toEqual([{ Token: [] }])
    const errors = Object.keys(responses).filter((status) => Number(status) >= 400)
    expect(errors, name).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']))
    for (const status of errors)
      expect(responses[status].content['application/json'].schema, name).toEqual({
        $ref: '#/components/schemas/Error',
      })
  }
  expect(Object.keys(document.webhooks)).toEqual(['deal.created', 'deal.updated'])
})

test('the contact is the installer, with only the configured e-mail address', () => {
  const contactOf = (contact?: string) => JSON.parse(openApiJson({ supportContact: contact })).info.contact
  const name = 'The installer who gave you access'
  expect(document.info.contact).toEqual({ name })
  expect(contactOf('help@a.example')).toEqual({ name, email: 'help@a.example' })
  expect(contactOf('https://a.example/help')).toEqual({ name, url: 'https://a.example/help' })
})

test('ids in requests are documented with the exact bounds that errors name', async ({ system, demo }) => {
  const bounds = /"type": "integer",\s+"format": "int64",\s+"minimum": (\S+),\s+"maximum": (\S+)\s/
  const { errors } = (await ask(system, 'GET /api/deals/9223372036854775808', { token: demo.token })).json
  const [, minimum, maximum] = bounds.exec(committed.slice(committed.indexOf('"operationId": "getDeal"')))!
  expect(errors).toEqual([`id: must be an integer from ${minimum} to ${maximum}`])
  const [file] = document.paths['/api/files/{id}'].get.parameters
  expect(file.schema).toMatchObject({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' })
  for (const [name, isGood] of [
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['a.b', false],
  ] as const)
    expect((await ask(system, `GET /api/files/${name}`, { token: demo.token })).status).toBe(
      isGood ? 404 : 400,
    )
})

test('Deal has the fields of the interface in order, with the stated type, format and nullability', () => {
  const person = { anyOf: [{ $ref: '#/components/schemas/Person' }, { type: 'null' }] }
  expect(new Set(dealKeys).size).toBe(88)
  expect(Object.keys(schemas.Deal.properties)).toEqual(dealKeys)
  expect(schemas.Deal.required).toEqual(dealKeys)
  for (const [keys, expected] of [
    [['id'], id],
    [roles, person],
    [texts, nullable('string')],
    [doubles, nullable('number', 'double')],
    [flags, { type: 'boolean' }],
    [times, nullable('string', 'date-time')],
  ] as const) {
    for (const key of keys) {
      expect(schemas.Deal.properties[key], key).toMatchObject(expected)
      expect(schemas.Deal.properties[key].description, key).toBeTruthy()
    }
  }
  for (const key of texts) expect(schemas.Deal.properties[key].format, key).toBeUndefined()
})

test('Person has the fields of the interface in order, with the stated type, format and nullability', () => {
  expect(Object.keys(schemas.Person.properties)).toEqual(personKeys)
  expect(schemas.Person.required).toEqual(personKeys)
  const expected = {
    id,
    userId: nullable('integer', 'int64'),
    createdAt: nullable('string', 'date-time'),
    updatedAt: nullable('string', 'date-time'),
  } as Record<string, Record<string, unknown>>
  for (const key of personKeys)
    expect(schemas.Person.properties[key], key).toMatchObject(expected[key] ?? nullable('string'))
})

test('schemas of pages, files, webhook configuration and errors match the interface', () => {
  const int32 = { type: 'integer', format: 'int32' }
  expect(schemas.DealPage).toMatchObject({
    required: ['page', 'pages', 'count', 'deals'],
    properties: {
      page: int32,
      pages: int32,
      count: int32,
      deals: { type: 'array', items: { $ref: '#/components/schemas/Deal' } },
    },
  })
  expect(Object.keys(schemas.FileAccess.properties)).toEqual([
    'url',
    'expiresAt',
    'name',
    'extension',
    'type',
    'size',
  ])
  expect(schemas.FileAccess.properties).toMatchObject({
    url: { type: 'string' },
    expiresAt: { type: 'string', format: 'date-time' },
    name: { type: 'string' },
    type: { type: 'string' },
    size: { type: 'integer' },
  })
  expect(schemas.WebhookConfiguration.properties).toMatchObject({
    createURL: nullable('string'),
    updateURL: nullable('string'),
  })
  expect(schemas.Error).toMatchObject({
    required: ['code', 'message', 'errors'],
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      errors: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
    },
  })
})

test('parameters have the types, bounds and defaults of the interface, and bodies both content types', () => {
  const parameters = (path: string) =>
    Object.fromEntries(
      document.paths[path].get.parameters.map(({ name, in: place, required, schema }: any) => [
        `${place} ${name}`,
        { required: required ?? false, ...schema },
      ]),
    )
  expect(parameters('/api/deals')).toMatchObject({
    'query page': {
      required: false,
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 2_147_483_647,
      default: 1,
    },
    'query size': { required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 25, default: 10 },
  })
  expect(parameters('/api/deals/{id}')).toMatchObject({ 'path id': { required: true, ...id } })
  expect(parameters('/api/files/{id}')).toMatchObject({ 'path id': { required: true, type: 'string' } })
  expect(parameters('/api/events')).toMatchObject({
    'query after': { minimum: -100, default: 0 },
    'query limit': { minimum: 1, maximum: 100, default: 25 },
  })
  for (const path of ['/api/webhook', '/api/events/reconcile'])
    expect(Object.keys(document.paths[path].post.requestBody.content)).toEqual([
      'application/json',
      'application/*+json',
    ])
})

test('path parameters and bodies have examples that clients such as Postman can use', () => {
  for (const operation of operations) {
    for (const parameter of operation.parameters ?? [])
      if (parameter.in === 'path') expect(ajv.validate(parameter.schema, parameter.example)).toBe(true)
    for (const { example } of Object.values<any>(operation.requestBody?.content ?? {}))
      expect(example).toBeTypeOf('object')
    expect(operation.parameters?.map(({ name }: any) => name) ?? []).not.toContain('partner')
  }
})

test('the reconcile schema has exact ids, times and bounds, and both directions have an example', () => {
  const bound = nullable('integer', 'int64')
  const { content } = document.paths['/api/events/reconcile'].post.requestBody
  for (const { schema, example } of Object.values<any>(content)) {
    expect(schema.required).toEqual(['deals'])
    expect(schema.properties).toMatchObject({
      deals: {
        type: 'array',
        maxItems: 1000,
        items: { required: ['id'], properties: { id, lastModified: nullable('string', 'date-time') } },
      },
      after: bound,
      upTo: bound,
    })
    expect(ajv.compile(schema)(example)).toBe(true)
  }
  const list = { type: 'array', items: id }
  expect(schemas.Reconciliation).toMatchObject({
    required: ['missing', 'stale', 'gone', 'last', 'next'],
    properties: { missing: list, stale: list, gone: list, last: id, next: bound },
  })
  expect(
    document.paths['/api/events/reconcile'].post.responses[200].content['application/json'].example,
  ).toMatchObject({ next: null })
})

test('the document is consistent: examples match their schemas, and every object allows new fields', () => {
  const problems: string[] = []
  const visit = (value: any, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (value.additionalProperties === false) problems.push(`${path} is closed`)
    if (Array.isArray(value.examples) && !path.includes('/properties/properties')) {
      const validate = ajv.compile(
        JSON.parse(
          JSON.stringify({ ...value, examples: undefined }).replaceAll(
            '"#/components',
            '"document#/components',
          ),
        ),
      )
      for (const example of value.examples)
        if (!validate(example))
          problems.push(`${path}: ${JSON.stringify(example)} ${JSON.stringify(validate.errors)}`)
    }
    if (
      value.example !== undefined &&
      value.schema?.$ref !== undefined &&
      !validatorOf(value.schema.$ref.split('/').at(-1))(value.example)
    )
      problems.push(`${path}: the example is not of its schema`)
    for (const [key, inner] of Object.entries(value))
      if (key !== 'examples' && key !== 'example') visit(inner, `${path}/${key}`)
  }
  visit(document, '')
  expect(problems).toEqual([])
})

test('real responses match the documented schemas exactly', async ({ system, demo }) => {
  const [deal] = newDeals(1)
  const partner = await system.makePartner({ deals: [deal!] })
  await bringIn(system, partner, [{ id: deal!.id, stage: 'Permit', owner: { id: 1n } as never }])
  const fileId = await addFile(system, deal!.id, {
    name: 'a',
    type: 'application/octet-stream',
    content: 'x',
  })
  for (const [what, name, token] of [
    ['GET /api/deals?size=25', 'DealPage', demo.token],
    ['GET /api/deals?size=25&page=40', 'DealPage', demo.token],
    ['GET /api/deals?page=999999', 'DealPage', demo.token],
    ['GET /api/deals', 'DealPage', partner.token],
    [`GET /api/deals/${deal!.id}`, 'Deal', partner.token],
    [`GET /api/files/${fileId}`, 'FileAccess', partner.token],
    ['GET /api/webhook', 'WebhookConfiguration', partner.token],
    ['GET /api/events', 'EventPage', partner.token],
    ['GET /api/events', 'EventPage', demo.token],
    ['GET /api/deals?size=25', 'DealPage', await system.makeInternalToken()],
  ] as const) {
    const answer = await ask(system, what, { token })
    expect(answer.status).toBe(200)
    expectShape(answer, name)
  }
  expectShape(
    await ask(system, 'POST /api/events/reconcile', { token: partner.token, json: { deals: [] } }),
    'Reconciliation',
  )
  expectShape(
    await ask(system, 'POST /api/events/reconcile', { token: demo.token, json: { deals: [{ id: 1 }] } }),
    'Reconciliation',
  )
  expectShape(
    await ask(system, 'POST /api/webhook', {
      token: partner.token,
      json: { createURL: 'https://crm.example' },
    }),
    'WebhookConfiguration',
  )
  const { json } = await ask(system, 'GET /api/events', { token: partner.token })
  for (const event of json.events) expect(Object.keys(event)).toEqual(schemas.DealEvent.required)
  expect(Object.keys(json.events[1].changes[0])).toEqual(Object.keys(schemas.DealChange.properties))
})

test('every error response is documented for its operation', async ({ system, demo }) => {
  const narrow = await system.makePartner({ scopes: [] })
  const big = ' '.repeat(1024 * 1024 + 1)
  const post = (body: string, type = 'application/json') => ({
    token: demo.token,
    body,
    headers: { 'content-type': type },
  })
  for (const [operation, requests] of Object.entries({
    'GET /api/deals': [['GET /api/deals?size=0', { token: demo.token }]],
    'GET /api/deals/{id}': [
      ['GET /api/deals/x', { token: demo.token }],
      ['GET /api/deals/1', { token: demo.token }],
    ],
    'GET /api/files/{id}': [
      ['GET /api/files/.', { token: demo.token }],
      ['GET /api/files/x', { token: demo.token }],
    ],
    'GET /api/events': [['GET /api/events?limit=0', { token: demo.token }]],
    'GET /api/webhook': [],
    'POST /api/events/reconcile': [
      ['POST /api/events/reconcile', post('{')],
      ['POST /api/events/reconcile', post('{}', 'text/plain')],
      ['POST /api/events/reconcile', post(big)],
    ],
    'POST /api/webhook': [
      ['POST /api/webhook', post('{')],
      ['POST /api/webhook', post('x', 'text/plain')],
      ['POST /api/webhook', post(big)],
    ],
  } as Record<string, [string, Parameters<typeof ask>[2]][]>)) {
    const [method, path] = operation.split(' ') as [string, string]
    const plain = operation.replace('{id}', '1')
    for (const [what, options] of [...requests, [plain, {}], [plain, { token: narrow.token }]] as const) {
      const answer = await ask(system, what, options)
      const documented = document.paths[path][method.toLowerCase()].responses[answer.status]
      expect(documented?.content['application/json'].schema, `${what} ${answer.status}`).toEqual({
        $ref: '#/components/schemas/Error',
      })
      expectShape(answer, 'Error')
    }
  }
})
