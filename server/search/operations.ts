import { hash } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { partnerOf } from '../access/actor.ts'
import { pageAnswerMaxBytes } from '../access/answer-size.ts'
import { preparedOutput, scoped, tagged } from '../access/procedure.ts'
import { portionsOf } from '../admission/scheduling.ts'
import { type DealField, dealFields } from '../deals/deal.ts'
import type { FilterTerms } from '../deals/event-facts.ts'
import { readEvents } from '../deals/event-store.ts'
import { eventRetentionDays, eventPageMaxBytes } from '../deals/policy.ts'
import { reconcile, storedCountToRead, ReconcileDeals, Reconciliation } from '../deals/reconcile.ts'
import { parseDeal, renderValue, rerender } from '../deals/render.ts'
import { readModified } from '../deals/store.ts'
import { EventPage, ListEvents, WireDeal, queryInteger } from '../deals/wire.ts'
import { ApiError } from '../errors.ts'
import { z } from '../values/input.ts'
import { stringifyJson } from '../values/int64.ts'
import type { DealOrder } from './candidate-store.ts'
import {
  readEventFilter,
  type ParameterName,
  type ParameterValues,
  isRepeatable,
  parameterNames,
  parameters,
  readName,
  readParameter,
} from './parameters.ts'
import { resolveQuery, readSharedView, type ViewFilter } from './resolve-query.ts'
import { findDeals } from './store.ts'
import type { ZonedTenant } from './totals-store.ts'
import { type Cursor, type DealFilter, cursorText, isKeyOf, notCursor, parseCursor } from './wire.ts'

const orders = {
  id: { field: 'id', direction: 'asc' },
  lastModified: { field: 'lastModified', direction: 'asc' },
  '-lastModified': { field: 'lastModified', direction: 'desc' },
  createDate: { field: 'createDate', direction: 'asc' },
  '-createDate': { field: 'createDate', direction: 'desc' },
} as const satisfies Record<string, DealOrder>
type OrderName = keyof typeof orders
const orderNames = Object.keys(orders) as OrderName[]

const texts = (value: unknown) => [value].flat() as string[]

type QueryShape = {
  type: 'string' | 'number' | 'array'
  items?: { type: 'string' }
  format?: string
  enum?: string[]
  default?: string
}

/** Returns the schema of a query parameter, based on the function that parses its values. */
function querySchema<Value>(
  read: (texts: readonly string[]) => { value: Value } | { problem: string },
  description: string,
  override: QueryShape,
) {
  return z
    .unknown()
    .transform((value, context): Value | undefined => {
      if (value === undefined) return undefined
      const result = read(texts(value))
      if ('value' in result) return result.value
      context.addIssue({ code: 'custom', message: result.problem })
      return z.NEVER
    })
    .meta({ description, override })
    .optional()
}

const isList: QueryShape = { type: 'array', items: { type: 'string' } }

function shapeOf(name: ParameterName): QueryShape {
  const { kind } = parameters[name]
  if (isRepeatable(kind)) return isList
  return kind === 'min' || kind === 'max' ? { type: 'number', format: 'double' } : { type: 'string' }
}

const once = (given: readonly string[]): { value: string } | { problem: string } =>
  given.length === 1 && typeof given[0] === 'string' ? { value: given[0] } : { problem: 'must be given once' }

function readOrder(values: readonly string[]) {
  const text = once(values)
  if ('problem' in text) return text
  const order = readName(text.value, orderNames)
  return 'value' in order ? order : { problem: `must be one of ${orderNames.join(', ')}` }
}

function readProjection(values: readonly string[]): { value: DealField[] } | { problem: string } {
  if (values.some((text) => typeof text !== 'string')) return { problem: 'must be text' }
  const fields = new Set<DealField>(['id'])
  for (const name of values.flatMap((text) => text.split(','))) {
    const field = readName(name.trim(), Object.keys(dealFields) as DealField[])
    if ('problem' in field) return field
    fields.add(field.value)
  }
  return { value: (Object.keys(dealFields) as DealField[]).filter((field) => fields.has(field)) }
}

const SearchDeals = z.strictObject({
  ...(Object.fromEntries(
    parameterNames.map((name) => {
      const { description } = parameters[name]
      return [name, querySchema((given) => readParameter(name, given), description, shapeOf(name))]
    }),
  ) as unknown as { [Name in ParameterName]: z.ZodType<ParameterValues[Name]> }),
  sort: querySchema(readOrder, 'The order of the deals.', {
    type: 'string',
    enum: orderNames,
    default: 'id',
  }),
  limit: queryInteger(1, 100, 25, 'How many deals to return at most.', 'int32'),
  cursor: querySchema(once, 'The `next` of the previous page, with the other parameters unchanged.', {
    type: 'string',
  }),
  fields: querySchema(
    readProjection,
    'Fields to return, separated by commas or repeated; `id` is always returned. All by default.',
    isList,
  ),
})
type SearchInput = ParameterValues & Pick<z.infer<typeof SearchDeals>, 'sort' | 'limit' | 'cursor' | 'fields'>

export const SearchPage = z
  .looseObject({
    deals: z.array(WireDeal).meta({
      description:
        'Matching deals: at most `limit`, and sometimes fewer, or none, although more follow. ' +
        'With `fields`, they have only these.',
    }),
    next: z
      .string()
      .nullable()
      .meta({ description: 'The `cursor` of the next page; null at the end.', examples: [null] }),
  })
  .meta({ id: 'SearchPage', description: 'A page of matching deals.' })
export type SearchPage = z.infer<typeof SearchPage>

/** Returns a page of the tenant's matching deals as JSON. @throws ApiError 400 */
export async function searchDeals(
  db: Database,
  { tenant, zone }: ZonedTenant,
  { sort = 'id', limit = 25, cursor, fields, ...values }: SearchInput,
): Promise<string> {
  const view = values.view === undefined ? null : await readSharedView(db, tenant, values.view)
  const order = orders[sort]
  const search = { ...values, view: view?.identity, sort }
  const after = cursor === undefined ? null : openCursor(cursor, search, order)
  const query = await resolveQuery(
    { tenant, zone: view?.zone ?? zone, user: null },
    filterOf(values, view?.filter ?? {}),
  )
  const page = await findDeals(db, query, order, after, limit)
  let next = page.next
  const rendered: string[] = []
  let bytes = 0
  for await (const portion of portionsOf(page.deals)) {
    for (const { json, isOld, cursor: place } of portion) {
      const deal = renderFound(json, isOld, fields)
      if (bytes > eventPageMaxBytes) continue
      rendered.push(deal)
      bytes += Buffer.byteLength(deal)
      // The next page starts after the last returned deal.
      if (bytes > eventPageMaxBytes && rendered.length < page.deals.length) next = place
    }
  }
  const nextText = next === null ? 'null' : JSON.stringify(sealCursor(next, search))
  return `{"deals":[${rendered.join(',')}],"next":${nextText}}`
}

/** Returns the JSON of a deal, limited to these fields if any are given. */
function renderFound(json: string, isOld: boolean, fields: readonly DealField[] | undefined): string {
  if (fields === undefined) return isOld ? rerender(json) : json
  const deal = parseDeal(json)
  const members = fields.map((field) => `"${field}":${renderValue(dealFields[field].kind, deal[field])}`)
  return `{${members.join(',')}}`
}

/** Returns a search as a filter of the portal's list, combined with the filter of the search's view. */
export function filterOf(values: ParameterValues, view: ViewFilter['filter']): DealFilter {
  const { q, stage, pipeline, state, amountMin, amountMax, view: _, ...columns } = values
  const own: DealFilter = {
    ...(q !== undefined && { search: q }),
    ...(stage !== undefined && { stages: stage }),
    ...(pipeline !== undefined && { pipelines: pipeline }),
    ...(state !== undefined && { states: state }),
    ...((amountMin ?? amountMax) !== undefined && { amount: { min: amountMin, max: amountMax } }),
  }
  const keys = Object.keys(own) as (keyof typeof own)[]
  const isApart = keys.every((key) => !(key in view))
  // If both filters have a condition of the same kind, deals must match both conditions.
  return isApart ? { ...view, ...own, columns } : { ...view, columns, within: own }
}

const fingerprint = (search: object) => hash('sha256', stringifyJson(search), 'base64url').slice(0, 10)

/** Returns the text of a cursor that is valid only for this search. */
const sealCursor = (cursor: Cursor, search: object) =>
  Buffer.from(`${fingerprint(search)}${cursorText(cursor)}`).toString('base64url')

/** Returns the cursor in a string. @throws ApiError 400 if it is not a cursor of this search */
function openCursor(text: string, search: object, { field }: DealOrder): Cursor {
  const plain = Buffer.from(text, 'base64url').toString()
  const [mark, rest] = [plain.slice(0, 10), plain.slice(10)]
  const cursor = parseCursor(rest)
  if (cursor === null) throw invalidCursor(notCursor)
  if (mark !== fingerprint(search))
    throw invalidCursor(
      'belongs to another search; repeat the parameters of the previous page, or begin without a cursor',
    )
  if (cursor.key !== null && !isKeyOf(field, cursor.key)) throw invalidCursor(notCursor)
  return cursor
}

const invalidCursor = (problem: string) =>
  new ApiError('BAD_REQUEST', 'The request is not valid', { errors: [`cursor: ${problem}`] })

export const searchOperations = {
  search: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/deals/search',
        operationId: 'searchDeals',
        tags: ['Deals'],
        summary: 'Search deals',
        description:
          'Deals that match all parameters, page by page: repeat the request with `cursor` = `next` until `next` is ' +
          'null. Sorted by `id` or `createDate`, a walk returns every deal that matches all the time. ' +
          'A deal that changes during a walk by `lastModified` moves to its end and is returned again; ' +
          'by `-lastModified` it moves to the beginning, which the walk has passed.\n\n' +
          'Unknown parameters are rejected.',
      },
      answerMaxBytes: pageAnswerMaxBytes,
    })
    .input(SearchDeals)
    .output(preparedOutput(SearchPage))
    .query(async ({ ctx: { db, actor, ifNoneMatch }, input }) => {
      // Reads from the primary, because a partner may search for a deal that an event has just announced.
      return tagged<SearchPage>(ifNoneMatch, await searchDeals(db, actor, input))
    }),
}

const ListFilteredEvents = ListEvents.extend({
  filter: z
    .string({ error: 'must be given once' })
    .max(8000)
    .transform((text, context): FilterTerms | undefined => {
      const { terms, problems } = readEventFilter(text)
      for (const message of problems) context.addIssue({ code: 'custom', message })
      return terms ?? undefined
    })
    .meta({
      description:
        'Parameters of the search, as an encoded query: `stage%3DSold%26amountMin%3D20000`. ' +
        'Those that an event alone can decide.',
      override: { type: 'string' },
    })
    .optional(),
})

export const eventOperations = {
  list: scoped('deals:read')
    .meta({
      openapi: {
        method: 'GET',
        path: '/api/events',
        operationId: 'listEvents',
        tags: ['Events'],
        summary: 'List events',
        description:
          'The events after a sequence, in order, with the same bodies as the webhooks: ' +
          'partners catch up on missed webhooks with it. ' +
          'Continue with `after` = `next`, even if there were no events. ' +
          `With \`wait\`, the answer comes as soon as there are events, or without any after so many seconds. ` +
          'With `filter`, it gives the events whose deal matched before or after them, each with how it passed. ' +
          'They also say which deals the partner has lost (`deal.removed`). ' +
          `Events are kept for ${eventRetentionDays} days by default; ` +
          '410 means that some after the given sequence are gone: ' +
          `list all deals again and continue from the \`next\` of its \`Link\` header. ` +
          'A page of large events has fewer than `limit`: continue until you have `last`.',
      },
      answerMaxBytes: pageAnswerMaxBytes,
    })
    .input(ListFilteredEvents)
    .output(preparedOutput(EventPage))
    .query(async ({ ctx: { db, config, actor, ifNoneMatch }, input: { after = 0, limit = 25, filter } }) => {
      const partnerId = partnerOf(actor)
      const { bodies, last, next, isComplete } = await readEvents(db, partnerId, after, limit, {
        terms: filter ?? null,
      })
      if (!isComplete) {
        throw new ApiError(
          'GONE',
          `Events after ${after} are no longer available: list all deals again and continue from ${last}`,
          {
            headers: {
              Link: `<${config.publicUrl}/api/events?${new URLSearchParams({ after: String(last), limit: String(limit) })}>; rel="next"`,
            },
          },
        )
      }
      const json = `{"events":[${bodies.join(',')}],"last":${last},"next":${next}}`
      // Each event comes with a new list revision. A page that was cached before retention removed its events
      // is harmless.
      return tagged<EventPage>(ifNoneMatch, json, {
        revision: actor.listRevision,
        // A filtered page that stopped at the scan limit has not reached the newest events.
        emptyUpTo: bodies.length === 0 && next >= last ? next : null,
      })
    }),

  reconcile: scoped('deals:read')
    .meta({
      openapi: {
        method: 'POST',
        path: '/api/events/reconcile',
        operationId: 'reconcile',
        tags: ['Events'],
        summary: 'Compare a copy',
        contentTypes: ['application/json', 'application/*+json'],
        description:
          'Verifies a copy of the deals and reports its differences; changes nothing.\n\n' +
          'Post the id and `lastModified` of every deal that the copy holds with `after < id <= upTo`; ' +
          'without `after` from the smallest id on, ' +
          'without `upTo` to the largest. The answer says what to do: ' +
          'get the `missing` and the `stale` deals by id, and drop those that are `gone`. ' +
          'Three empty lists and a null `next` mean that in this range the copy holds exactly the deals ' +
          'of the partner, each with the same `lastModified`, as of the event `last`.\n\n' +
          'Post a copy of more than 1,000 deals in ascending order in chunks of 1,000: ' +
          '`after` is the last id of the previous chunk, `upTo` the last id of this one. ' +
          'The first chunk has no `after` and the last one no `upTo`, so that together they cover every id.\n\n' +
          'When more than 1,000 deals are missing, all three lists end at `next`: ' +
          'continue with `after` = `next`, the same `upTo` and the deals beyond `next`, ' +
          'until it is null. ' +
          'Changes in the meantime are in the events after the `last` of the first response.',
      },
    })
    .input(ReconcileDeals)
    .output(Reconciliation)
    .query(async ({ ctx: { db, actor }, input: { deals, after = null, upTo = null } }) => {
      const listed = deals.map(({ id, lastModified = null }) => ({ id, lastModified }))
      const stored = await readModified(db, partnerOf(actor), after, upTo, storedCountToRead(listed.length))
      return { ...reconcile(listed, stored.deals), last: BigInt(stored.last) }
    }),
}
