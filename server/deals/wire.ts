import { z } from '../values/input.ts'
import { int64Max, int64Min, parseInt64 } from '../values/int64.ts'
import {
  type Deal as DealValues,
  type FieldKind,
  type Person as PersonValues,
  dealFields,
  personFields,
} from './deal.ts'
import { filterResults } from './event-facts.ts'
import { eventTypeNames } from './event.ts'
import { waitMaxS } from './policy.ts'

/** Returns the schema of a 64-bit integer in a response. */
export const int64 = () => z.bigint().meta({ override: { type: 'integer', format: 'int64' } })
const int32Max = 2 ** 31 - 1
const int32 = () => z.int32().meta({ override: { type: 'integer', format: 'int32' } })

/** Returns the schema of a field that is not a person. IDs are never null. */
function fieldSchema(
  name: string,
  { kind, description, example }: { kind: FieldKind; description: string; example: unknown },
): z.ZodType {
  const meta = { description, examples: [example] }
  const nullable = (schema: z.ZodType, type: 'integer' | 'number' | 'string', format: string) =>
    schema.nullable().meta({ ...meta, override: { type: [type, 'null'], format } })
  switch (kind) {
    case 'int64':
      return name === 'id' ? int64().meta(meta) : nullable(z.bigint(), 'integer', 'int64')
    case 'double':
    case 'money':
      return nullable(z.number(), 'number', 'double')
    case 'flag':
      return z.boolean().meta(meta)
    case 'time':
      return nullable(z.iso.datetime(), 'string', 'date-time')
    default:
      return z.string().nullable().meta(meta)
  }
}

const examplePerson = Object.fromEntries(
  Object.entries(personFields).map(([name, { example }]) => [name, example]),
)

const exampleDeal = Object.fromEntries(
  Object.entries(dealFields).map(([name, { kind, example }]) => [
    name,
    kind === 'person' ? examplePerson : example,
  ]),
)

const Person = z
  .looseObject(
    Object.fromEntries(Object.entries(personFields).map(([name, field]) => [name, fieldSchema(name, field)])),
  )
  .meta({
    id: 'Person',
    description: 'A person in one of the six roles of a deal.',
  }) as unknown as z.ZodType<PersonValues>

const dealShape = (schemaOf: typeof fieldSchema) =>
  Object.fromEntries(
    Object.entries(dealFields).map(([name, field]) => [
      name,
      field.kind === 'person'
        ? Person.nullable().meta({ description: field.description })
        : schemaOf(name, field),
    ]),
  )

export const WireDeal = z.looseObject(dealShape(fieldSchema)).meta({
  id: 'Deal',
  description: "A solar installer's deal (project).",
}) as unknown as z.ZodType<DealValues>
export type WireDeal = DealValues

export const DealPage = z
  .looseObject({
    page: int32().meta({ description: 'Current page number.', examples: [1] }),
    pages: int32().meta({ description: 'Number of pages in this query.', examples: [84] }),
    count: int32().meta({ description: 'Total number of records in this query.', examples: [2088] }),
    deals: z.array(WireDeal).meta({ description: 'Deals of the current page.' }),
  })
  .meta({ id: 'DealPage', description: 'Page of deals.' })
export type DealPage = z.infer<typeof DealPage>

/**
 * Returns the schema of a decimal integer in a query, which must not have a sign, fraction or exponent and
 * must not be repeated.
 */
export function queryInteger(
  minimum: number,
  maximum: number,
  initial: number,
  description: string,
  format: 'int32' | 'int64',
) {
  return z
    .unknown()
    .transform((value, context) => {
      if (value === undefined) return initial
      const text = typeof value === 'number' ? String(value) : value
      const problem = integerProblem(text, minimum, maximum)
      if (problem === null) return Number(text)
      context.addIssue({ code: 'custom', message: problem })
      return z.NEVER
    })
    .meta({ description, override: { type: 'integer', format, minimum, maximum, default: initial } })
    .optional()
}

function integerProblem(text: unknown, minimum: number, maximum: number): string | null {
  if (Array.isArray(text)) return 'must be given once'
  const form = minimum < 0 ? /^(?:\d+|-[1-9]\d*)$/ : /^\d+$/
  if (typeof text !== 'string' || !form.test(text)) return 'must be a whole number in plain decimal digits'
  if (Number(text) < minimum) return `must be at least ${minimum}`
  return Number(text) > maximum ? `must be at most ${maximum}` : null
}

export const ListDeals = z.object({
  // Not validated, because the parameter has no effect for partners' tokens.
  partner: z
    .unknown()
    .transform((slug) => slug)
    .meta({ description: 'Internal use only; has no effect for partners.', override: { type: 'string' } })
    .optional(),
  page: queryInteger(1, int32Max, 1, 'Page number to fetch.', 'int32'),
  size: queryInteger(1, 25, 10, 'Number of records per page.', 'int32'),
  cursor: z
    .unknown()
    .transform((text, context) => {
      if (text === undefined) return undefined
      const cursor = typeof text === 'string' ? parseCursor(text) : null
      if (cursor !== null) return cursor
      context.addIssue({ code: 'custom', message: Array.isArray(text) ? 'must be given once' : notCursor })
      return z.NEVER
    })
    .meta({
      description:
        'Part of the `next` link: the place after the last deal of the page before. With it, a walk along the ' +
        'links misses no deal when others are removed in the meantime.',
      override: { type: 'string' },
    })
    .optional(),
})

const notCursor = 'must be the one of a next link'

export const notInt64 = `must be an integer from ${int64Min} to ${int64Max}`

/** The bounds of an ID in a request, for the OpenAPI document. */
export const int64Bounds = {
  type: 'integer' as const,
  format: 'int64',
  minimum: Number(int64Min),
  maximum: Number(int64Max),
}

/** The ID of a deal in a path. */
export const GetDeal = z.object({
  id: z
    .string()
    .transform((text, context) => {
      const id = parseInt64(text)
      if (id !== null) return id
      context.addIssue({ code: 'custom', message: notInt64 })
      return z.NEVER
    })
    .meta({ description: 'The deal id.', examples: [20411000193], override: int64Bounds }),
})

/** The deal within an event. For a removed deal, everything but the ID is null, including flags. */
const EventDeal = z
  .looseObject(
    dealShape((name, field) => {
      const schema = fieldSchema(name, field)
      return field.kind === 'flag' ? schema.nullable().meta(schema.meta()!) : schema
    }),
  )
  .meta({ id: 'EventDeal', description: 'A deal as it was after an event.' })

const EventBase = {
  timestamp: z.iso.datetime().meta({
    description: 'Time of the change.',
    examples: ['2026-03-01T17:20:05.000Z'],
    override: { type: 'string', format: 'date-time' },
  }),
  sequence: int64().meta({
    description: 'Number of the event, per partner: from 1, without gaps.',
    examples: [1042],
  }),
  id: z.string().meta({ description: 'The sequence as text.', examples: ['1042'] }),
  dealId: z.string().meta({ description: 'The id of the deal as text.', examples: ['20411000193'] }),
  data: EventDeal.meta({
    description: 'The deal after the change; of a removed deal only the id, everything else is null.',
  }),
}

const DealChange = z
  .looseObject({
    field: z.string().meta({ description: 'Name of the field.', examples: ['stage'] }),
    from: z.unknown().meta({ description: 'Previous value.', examples: ['NTP Review'] }),
    to: z.unknown().meta({ description: 'New value.', examples: ['Permit Submitted'] }),
  })
  .meta({ id: 'DealChange', description: 'One field that changed.' })

export const DealEvent = z
  .looseObject({
    type: z.enum(eventTypeNames).meta({ description: 'Event type.', examples: ['deal.updated'] }),
    ...EventBase,
    changes: z
      .array(DealChange)
      .meta({ description: 'Changed fields; empty unless the type is deal.updated.' }),
    asOf: z.iso
      .datetime()
      .meta({
        description:
          'Only for changes that are read from a connected CRM: every change there up to this time was read before.',
        examples: ['2026-03-01T17:19:00.000Z'],
        override: { type: 'string', format: 'date-time' },
      })
      .optional(),
    filter: z
      .enum(filterResults)
      .meta({
        description: 'Only with a filter: the deal came to match it, still matches, or no longer does.',
        examples: ['entered'],
      })
      .optional(),
    test: z
      .literal(true)
      .meta({ description: 'Only in a test event: the deal does not exist, and the sequence is 0.' })
      .optional(),
  })
  .meta({ id: 'DealEvent', description: 'A change of a deal, as it is sent to the webhook URLs.' })

export const EventPage = z
  .looseObject({
    events: z.array(DealEvent).meta({ description: 'The events after the given sequence, in order.' }),
    last: int64().meta({
      description: "The sequence of the partner's newest event, 0 when there is none.",
      examples: [1042],
    }),
    next: int64().meta({
      description: 'The sequence up to which events were looked for: the `after` of the next request.',
      examples: [1042],
    }),
  })
  .meta({ id: 'EventPage', description: 'A page of events, in order.' })

export type EventPage = z.infer<typeof EventPage>

/** Maximum number of newest events per request. */
const newestMax = 100

export const ListEvents = z.object({
  after: queryInteger(
    -newestMax,
    Number.MAX_SAFE_INTEGER,
    0,
    `Give the events after this sequence. From -1 to -${newestMax}: as many of the newest events.`,
    'int64',
  ),
  limit: queryInteger(1, 100, 25, 'How many events to give at most.', 'int32'),
  // The HTTP layer does the waiting, because a waiting request must not occupy a slot.
  wait: queryInteger(
    0,
    waitMaxS,
    0,
    'How many seconds to wait for an event if there is none. At most four requests of a token wait at once; ' +
      'another one ends the oldest.',
    'int32',
  ),
})

/** Returns an example of an event of this type. */
export function exampleEvent(type: string): unknown {
  const changes =
    type === 'deal.updated' ? [{ field: 'stage', from: 'NTP Review', to: 'Permit Submitted' }] : []
  return {
    type,
    timestamp: '2026-03-01T17:20:05.000Z',
    sequence: 1042,
    id: '1042',
    dealId: String(dealFields.id.example),
    data: exampleDeal,
    changes,
  }
}

/** A position in a list, together with how many times the list's gaps had been closed at that time. */
export interface ListPlace {
  closings: number
  position: number
}

/** The content of the cursor in a `next` link. */
export interface ListCursor extends ListPlace {
  /** The page that the cursor leads to. */
  page: number
}

/** Formats a cursor as text, which is opaque to clients. */
export const formatCursor = ({ page, closings, position }: ListCursor): string =>
  Buffer.from(`${page}.${closings}.${position}`).toString('base64url')

/** Parses a cursor. Returns null if the text is not a valid cursor. */
export function parseCursor(text: string): ListCursor | null {
  const decoded = Buffer.from(text, 'base64url').toString()
  const [, page, closings, position] = /^(\d{1,10})\.(\d{1,9})\.(\d{1,15})$/.exec(decoded) ?? []
  if (position === undefined) return null
  const cursor = { page: Number(page), closings: Number(closings), position: Number(position) }
  return formatCursor(cursor) === text ? cursor : null
}
