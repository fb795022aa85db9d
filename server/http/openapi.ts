import { generateOpenApiDocument } from 'trpc-to-openapi'
import { z } from 'zod'
import { dealFields } from '../deals/deal.ts'
import { eventTypes } from '../deals/event.ts'
import { exampleCopy, exampleReconciliation } from '../deals/reconcile.ts'
import { DealEvent, DealPage, EventPage, exampleEvent } from '../deals/wire.ts'
import { type ErrorCode, statusOf } from '../errors.ts'
import { operations } from '../operations.ts'
import { SearchPage } from '../search/operations.ts'
import { int64Max, int64Min, stringifyJson } from '../values/int64.ts'
import { dayMs, formatLimit, formatSpan, parseSpan } from '../values/units.ts'
import { attemptTimeoutMs, retrySchedule, secretOverlapMs } from '../webhooks/policy.ts'
import { WireSubscription } from '../webhooks/subscription-wire.ts'
import { bodyMaxBytes } from './policy.ts'

const ErrorBody = z
  .looseObject({
    code: z.string().meta({ description: 'Error code.', examples: ['BAD_REQUEST'] }),
    message: z
      .string()
      .meta({ description: 'Human-readable message.', examples: ['The request is not valid'] }),
    errors: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'Problem of each field, or null.',
        examples: [['size: must be at most 25']],
      }),
  })
  .meta({ id: 'Error', description: 'Error body.' })

const errorTexts: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request is not valid; `errors` lists the problems.',
  UNAUTHORIZED: 'There is no valid token.',
  FORBIDDEN: 'The token lacks the scope that this needs.',
  NOT_FOUND: 'It does not exist, or it is not yours.',
  GONE: 'Events after the given sequence are no longer available.',
  PAYLOAD_TOO_LARGE: `The body is larger than ${formatLimit(bodyMaxBytes)}.`,
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON.',
  TOO_MANY_REQUESTS:
    'The token has used up its requests for this minute; `Retry-After` says when to try again.',
  INTERNAL_SERVER_ERROR: 'Something went wrong on our side.',
  SERVICE_UNAVAILABLE: 'The service cannot answer at the moment; `Retry-After` says when to try again.',
}

const always: ErrorCode[] = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]

/** The errors of each operation, in addition to the errors that all operations share. */
const errorsOf: Record<string, ErrorCode[]> = {
  listDeals: ['BAD_REQUEST'],
  getDeal: ['BAD_REQUEST', 'NOT_FOUND'],
  searchDeals: ['BAD_REQUEST'],
  listEvents: ['BAD_REQUEST', 'GONE'],
  reconcile: ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  getFile: ['BAD_REQUEST', 'NOT_FOUND'],
  getFlow: ['BAD_REQUEST'],
  getMoney: [],
  listMessages: ['BAD_REQUEST', 'NOT_FOUND'],
  getWebhook: [],
  setWebhook: ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  listSubscriptions: [],
  createSubscription: ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  getSubscription: ['BAD_REQUEST', 'NOT_FOUND'],
  deleteSubscription: ['BAD_REQUEST', 'NOT_FOUND'],
}

type Json = { [key: string]: any }

/** Returns the OpenAPI 3.1 document of the REST API, including webhooks. */
function makeOpenApiDocument(publicUrl: string): Json {
  const document: Json = generateOpenApiDocument(operations, {
    title: 'Partner Deals',
    version: '1.0',
    description:
      "A solar installer's deals for its partners: deals page by page, one deal, files by signed URL, " +
      'webhook URLs and events.',
    baseUrl: publicUrl,
    openApiVersion: '3.1.0',
    tags: ['Deals', 'Events', 'Files', 'Insight', 'Webhooks'],
    securitySchemes: {
      Token: {
        type: 'http',
        scheme: 'bearer',
        description: 'A token created by a partner admin or the operator.',
      },
    },
    defs: { Error: ErrorBody, Subscription: WireSubscription, DealPage, DealEvent, EventPage, SearchPage },
  })
  document.info.license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' }
  document.tags = document.tags.map(({ name }: Json) => ({ name, description: tagTexts[name] }))
  for (const methods of Object.values<Json>(document.paths)) {
    for (const operation of Object.values<Json>(methods)) finishOperation(operation)
  }
  document.webhooks = webhooks()
  // Removes the library's schemas of error bodies; `finishOperation` adds our own.
  for (const name of Object.keys(document.components.schemas))
    if (name.startsWith('error.')) delete document.components.schemas[name]
  return withoutAdditional(document) as Json
}

const tagTexts: Record<string, string> = {
  Deals: 'Deals that the partner closed.',
  Events: 'What happened to the deals, in order.',
  Files: 'Files of the deals.',
  Insight: 'Figures about the deals.',
  Webhooks: 'The addresses that events are sent to.',
}

const header = (description: string, type = 'integer') => ({ description, schema: { type } })

const rateHeaders = {
  'X-RateLimit-Limit': header(
    'Requests per minute of the token, or of all tokens of the partner together when fewer of those are left.',
  ),
  'X-RateLimit-Remaining': header('Requests left of that limit in this minute.'),
  'X-RateLimit-Reset': header('Seconds until the minute is over.'),
}

// Partners read this document, and `partner` has no effect for their tokens. `cursor` is only used in links,
// but generated clients would send the example.
const undocumented = ['listDeals partner', 'listDeals cursor']

function finishOperation(operation: Json): void {
  const id: string = operation.operationId
  operation.parameters = operation.parameters?.filter(
    ({ name }: Json) => !undocumented.includes(`${id} ${name}`),
  )
  // If there is no example, generated clients request a deal with the ID `<long>`.
  for (const parameter of operation.parameters ?? [])
    if (parameter.in === 'path') parameter.example = parameter.schema.examples?.[0] ?? dealFields.id.example
  const ok = operation.responses['200']
  ok.headers = {
    ...rateHeaders,
    'X-Request-Id': header('Id of the request, to quote in support requests.', 'string'),
  }
  operation.responses = id === 'deleteSubscription' ? { 204: withoutContent(ok) } : { 200: ok }
  if (id === 'createSubscription') {
    const location = { Location: header('URL of the subscription.', 'string') }
    operation.responses[201] = {
      ...ok,
      description: 'The new subscription.',
      headers: { ...ok.headers, ...location },
    }
    operation.responses[200] = {
      ...ok,
      description: 'The equal subscription that was there.',
      headers: { ...ok.headers, ...location },
    }
    for (const content of Object.values<Json>(operation.requestBody.content))
      content.example = exampleSubscription
  }
  if (
    ok.content?.['application/json'].schema.$ref !== undefined &&
    ['listDeals', 'getDeal', 'searchDeals', 'listEvents'].includes(id)
  ) {
    ok.headers.ETag = header('Entity tag of the response; send it as `If-None-Match`.', 'string')
    operation.responses[304] = { description: 'Not modified: `If-None-Match` names the current version.' }
  }
  if (id === 'listDeals')
    ok.headers.Link = header('URLs of the first, prev, next and last page (RFC 8288).', 'string')
  if (id === 'setWebhook')
    for (const content of Object.values<Json>(operation.requestBody.content)) content.example = exampleUrls
  if (id === 'reconcile') {
    for (const content of Object.values<Json>(operation.requestBody.content)) content.example = exampleCopy
    ok.content['application/json'].example = exampleReconciliation
  }
  for (const code of [...errorsOf[id]!, ...always]) {
    operation.responses[statusOf[code]] = {
      description: errorTexts[code],
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          example: {
            code,
            message: errorTexts[code],
            errors: code === 'BAD_REQUEST' ? ['field: what is wrong with it'] : null,
          },
        },
      },
    }
  }
}

const withoutContent = ({ headers }: Json) => ({ description: 'It is deleted.', headers })

const exampleSubscription = {
  url: 'https://partner.example/deals/permits',
  events: ['deal.created', 'deal.updated'],
  filter: 'stage=Permit%20Submitted',
  name: 'Permits',
}

const exampleUrls = {
  createURL: 'https://partner.example/deals/created',
  updateURL: 'https://partner.example/deals/updated',
}

const retryWaitsMs = retrySchedule.split(',').map((wait) => parseSpan(wait)!)
const retries = retryWaitsMs.length - 1
const retriesMs = retryWaitsMs.reduce((sum, waitMs) => sum + waitMs, 0)

function webhooks(): Json {
  const webhook = (type: string, when: string) => ({
    post: {
      operationId: type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
      tags: ['Webhooks'],
      summary: type,
      description:
        `${when} Signed according to Standard Webhooks: \`webhook-signature\` is \`v1,\` and the base64 ` +
        `HMAC-SHA256 of \`webhook-id\`.\`webhook-timestamp\`.body; ` +
        `for ${formatSpan(secretOverlapMs)} after a rotation it holds two signatures, ` +
        `separated by a space. \`webhook-id\` is the same for all attempts. ` +
        `Any 2xx within ${formatSpan(attemptTimeoutMs)} counts as delivered; ` +
        `otherwise the event is sent up to ${retries} more times over ${Math.round(retriesMs / dayMs)} ` +
        'days. The next event of the same deal waits until then.',
      security: [],
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        name,
        in: 'header',
        required: true,
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/DealEvent' },
            example: exampleEvent(type),
          },
        },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        '4XX': { description: 'Not delivered; sent again later. 410 switches the endpoint off.' },
      },
    },
  })
  return Object.fromEntries(
    Object.entries(eventTypes).flatMap(([type, { when, endpoint }]) =>
      endpoint === null ? [] : [[type, webhook(type, `Sent to \`${endpoint}URL\` when ${when}.`)]],
    ),
  )
}

/** Removes `additionalProperties: false`, because later 1.x versions may add fields to any object. */
function withoutAdditional(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAdditional)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'additionalProperties')
      .map(([key, inner]) => [key, withoutAdditional(inner)]),
  )
}

/** Replaces the rounded bounds of 64-bit integers with exact bounds as bigint. */
function withExactBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExactBounds)
  if (value === Number(int64Min)) return int64Min
  if (value === Number(int64Max)) return int64Max
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withExactBounds(inner)]))
}

/**
 * Returns the OpenAPI document as JSON. Without `publicUrl`, the server URL is relative to the document, as
 * in `public/openapi.json`. `supportContact` is an e-mail address or URL.
 */
export function openApiJson({
  publicUrl = '/',
  supportContact,
}: { publicUrl?: string; supportContact?: string | undefined } = {}): string {
  const document = makeOpenApiDocument(publicUrl)
  document['info'].contact = contactOf(supportContact)
  return `${stringifyJson(withExactBounds(document), 2)}\n`
}

const contactOf = (contact: string | undefined) => ({
  name: 'The installer who gave you access',
  ...(contact !== undefined && { [contact.startsWith('https://') ? 'url' : 'email']: contact }),
})
