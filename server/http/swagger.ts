import { parseJson, stringifyJson } from '../values/int64.ts'

type Json = { [key: string]: any }

/**
 * Converts an OpenAPI 3.1 document to Swagger 2.0, for programs such as Microsoft Power Automate. Omits
 * webhooks, which Swagger does not support.
 */
export function swaggerJson(openApiJson: string): string {
  const { info, servers, tags, paths, components } = parseJson(openApiJson) as Json
  const { title, version, description, contact, license } = info as Json
  const swagger = {
    swagger: '2.0',
    info: { title, version, description, contact, license: { name: license.name } },
    ...addressOf(servers[0].url as string),
    consumes: ['application/json'],
    produces: ['application/json'],
    // Swagger does not support bearer authentication.
    securityDefinitions: {
      Token: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`Bearer`, a space and a token.',
      },
    },
    security: [{ Token: [] }],
    tags,
    paths: mapValues(paths as Json, (methods: Json) => ({
      ...mapValues(methods, operationOf),
      ...(methods['post']?.operationId === subscribing && {
        'x-ms-notification-content': { schema: { $ref: '#/definitions/DealEvent' } },
      }),
    })),
    definitions: mapValues(components.schemas as Json, schemaOf),
  }
  return `${stringifyJson(swagger, 2)}\n`
}

/** The operation with which a Power Automate flow subscribes to an event. */
const subscribing = 'createSubscription'

const mapValues = (values: Json, change: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value as Json)]))

/** Returns the host and path of the API's URL, or only the path if the URL is relative. */
function addressOf(url: string): Json {
  if (!URL.canParse(url)) return { basePath: '/' }
  const { host, pathname, protocol } = new URL(url)
  return { host, basePath: pathname, schemes: [protocol.slice(0, -1)] }
}

function operationOf({
  operationId,
  summary,
  description,
  tags,
  parameters = [],
  requestBody,
  responses,
}: Json): Json {
  const content = requestBody?.content['application/json'] as Json | undefined
  const body = content && schemaOf(content['schema'] as Json)
  const isTrigger = operationId === subscribing
  // Power Automate fills in the flow's own URL here.
  if (isTrigger) body!['properties'].url['x-ms-notification-url'] = true
  return {
    operationId,
    summary,
    description,
    tags,
    parameters: [
      ...(parameters as Json[]).map(parameterOf),
      ...(body === undefined ? [] : [{ name: 'body', in: 'body', required: true, schema: body }]),
    ],
    ...(isTrigger && { 'x-ms-trigger': 'single' }),
    responses: mapValues(responses as Json, responseOf),
  }
}

function parameterOf({ name, in: place, required, description, schema }: Json): Json {
  const { description: own, example: _example, ...shape } = schemaOf(schema as Json)
  return {
    name,
    in: place,
    required: required === true,
    description: description ?? own,
    ...shape,
    ...(shape['type'] === 'array' && { collectionFormat: 'multi' }),
  }
}

function responseOf({ description, content, headers }: Json): Json {
  const schema = content?.['application/json']?.schema as Json | undefined
  return {
    description,
    ...(schema !== undefined && { schema: schemaOf(schema) }),
    ...(headers !== undefined && {
      headers: mapValues(headers as Json, (header) => ({
        type: header['schema'].type,
        description: header['description'],
      })),
    }),
  }
}

/** Schema keys that are the same in Swagger. */
const plainKeys =
  'title description format default enum multipleOf minimum maximum minLength maxLength pattern minItems maxItems uniqueItems required'.split(
    ' ',
  )

/** Converts a schema. Swagger allows a single type, and `x-nullable` marks a value that may be null. */
function schemaOf(schema: Json): Json {
  const { $ref, anyOf, type, properties, items, examples, example, const: only } = schema
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/components/schemas/', '#/definitions/') }
  const options = (anyOf ?? []) as Json[]
  const [one, ...others] = options.filter((option) => option['type'] !== 'null')
  if (one !== undefined && others.length === 0) {
    const { anyOf: _anyOf, ...outer } = schema
    return one['$ref'] === undefined
      ? { ...schemaOf({ ...one, ...outer, type: one['type'] }), 'x-nullable': true }
      : schemaOf(one)
  }
  const types = [type].flat() as string[]
  const anExample = example ?? examples?.[0]
  return {
    ...Object.fromEntries(plainKeys.flatMap((key) => (isPlain(schema[key]) ? [[key, schema[key]]] : []))),
    ...(type !== undefined && { type: types.find((name) => name !== 'null') }),
    ...(types.includes('null') && { 'x-nullable': true }),
    ...(only !== undefined && { enum: [only] }),
    ...(properties !== undefined && { properties: mapValues(properties as Json, schemaOf) }),
    ...(items !== undefined && { items: schemaOf(items as Json) }),
    ...(anExample != null && { example: anExample }),
  }
}

/** Returns false for the bounds of 64-bit integers, which Swagger tools cannot read. */
const isPlain = (value: unknown) => value !== undefined && typeof value !== 'bigint'
