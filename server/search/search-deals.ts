import { hash } from 'node:crypto'
import type { Database } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { portionsOf } from '../admission/portions.ts'
import { type DealField, dealFields } from '../deals/deal.ts'
import { eventPageMaxBytes } from '../deals/policy.ts'
import { parseDeal, renderValue, rerender } from '../deals/render.ts'
import { WireDeal, queryInteger } from '../deals/wire.ts'
import { ApiError } from '../errors.ts'
import { z } from '../values/input.ts'
import { stringifyJson } from '../values/int64.ts'
import type { Zone } from '../values/zone.ts'
import type { DealOrder } from './order-store.ts'
import {
  type ParameterName,
  type ParameterValues,
  isRepeatable,
  parameterNames,
  parameters,
  readName,
  readParameter,
} from './parameters.ts'
import { resolveQuery } from './resolve-query.ts'
import { readSharedView } from './shared-view.ts'
import { findDeals } from './store.ts'
import type { ViewFilter } from './view-filter.ts'
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

/** Shape of a query parameter in the API document. */
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

function readOrder(given: readonly string[]) {
  const text = once(given)
  if ('problem' in text) return text
  const order = readName(text.value, orderNames)
  return 'value' in order ? order : { problem: `must be one of ${orderNames.join(', ')}` }
}

function readProjection(given: readonly string[]): { value: DealField[] } | { problem: string } {
  if (given.some((text) => typeof text !== 'string')) return { problem: 'must be text' }
  const fields = new Set<DealField>(['id'])
  for (const name of given.flatMap((text) => text.split(','))) {
    const field = readName(name.trim(), Object.keys(dealFields) as DealField[])
    if ('problem' in field) return field
    fields.add(field.value)
  }
  return { value: (Object.keys(dealFields) as DealField[]).filter((field) => fields.has(field)) }
}

export const SearchDeals = z.strictObject({
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

/** The caller of a search. */
interface Searcher {
  tenant: TenantScope
  zone: Zone
}

/** Returns a page of the tenant's matching deals as JSON. @throws ApiError 400 */
export async function searchDeals(
  db: Database,
  { tenant, zone }: Searcher,
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

/** Returns a short hash of a search. */
const fingerprint = (search: object) => hash('sha256', stringifyJson(search), 'base64url').slice(0, 10)

/** Returns the text of a cursor that is valid only for this search. */
const sealCursor = (cursor: Cursor, search: object) =>
  Buffer.from(`${fingerprint(search)}${cursorText(cursor)}`).toString('base64url')

/** Returns the cursor in a text. @throws ApiError 400 if it is not a cursor of this search */
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
