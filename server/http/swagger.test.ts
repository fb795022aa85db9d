import SwaggerParser from '@apidevtools/swagger-parser'
import { expect, test } from 'vitest'
import { openApiJson } from './openapi.ts'
import { swaggerJson } from './swagger.ts'

type Json = { [key: string]: any }
const read = (publicUrl?: string) => {
  const openApi = openApiJson({ ...(publicUrl !== undefined && { publicUrl }) })
  return { openApi: JSON.parse(openApi) as Json, swagger: JSON.parse(swaggerJson(openApi)) as Json }
}

test('is a valid Swagger 2.0 document with the operations of the OpenAPI document', async () => {
  const { openApi, swagger } = read('https://deals.example.com')
  await SwaggerParser.validate(structuredClone(swagger) as never)
  const operations = (document: Json) =>
    Object.entries<Json>(document['paths']).flatMap(([path, methods]) =>
      Object.entries<Json>(methods)
        .filter(([method]) => !method.startsWith('x-'))
        .map(
          ([method, { operationId, parameters = [], responses }]) =>
            `${method} ${path} ${operationId} ${(parameters as Json[])
              .filter((parameter) => parameter['in'] !== 'body')
              .map(({ name }) => name as string)
              .join()} ${Object.keys(responses).join()}`,
        ),
    )
  expect(operations(swagger)).toEqual(operations(openApi))
  expect(Object.keys(swagger['definitions'])).toEqual(Object.keys(openApi['components'].schemas))
})

test('has the host and the authentication of the interface', () => {
  expect(read('https://deals.example.com').swagger).toMatchObject({
    host: 'deals.example.com',
    basePath: '/',
    schemes: ['https'],
    securityDefinitions: { Token: { type: 'apiKey', in: 'header', name: 'Authorization' } },
  })
  expect(read().swagger).toMatchObject({ basePath: '/' })
  expect(read().swagger).not.toHaveProperty('host')
})

test('converts nullable values and repeated parameters', () => {
  const { definitions, paths } = read().swagger
  expect(definitions.Deal.properties).toMatchObject({
    id: { type: 'integer', format: 'int64' },
    owner: { $ref: '#/definitions/Person' },
    stage: { type: 'string', 'x-nullable': true },
    amount: { type: 'number', format: 'double', 'x-nullable': true },
    hasBattery: { type: 'boolean' },
    lastModified: { type: 'string', format: 'date-time', 'x-nullable': true },
  })
  const stage = paths['/api/deals/search'].get.parameters.find(({ name }: Json) => name === 'stage')
  expect(stage).toMatchObject({ in: 'query', type: 'array', collectionFormat: 'multi' })
  expect(JSON.stringify(read().swagger)).not.toMatch(/anyOf|oneOf|"null"|components\/schemas/)
})

test('declares subscriptions as a Power Automate trigger', () => {
  const { '/api/webhooks': subscriptions } = read().swagger['paths']
  expect(subscriptions['x-ms-notification-content'].schema).toEqual({ $ref: '#/definitions/DealEvent' })
  expect(subscriptions.post).toMatchObject({
    'x-ms-trigger': 'single',
    parameters: [{ in: 'body', schema: { properties: { url: { 'x-ms-notification-url': true } } } }],
  })
})
