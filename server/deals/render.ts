import { parseJson } from '../int64.ts'
import { type Deal, type DealRecord, type FieldKind, dealFields, personFields } from './deal.ts'

type Values = Readonly<Record<string, unknown>>

const dealKeys = keysOf(dealFields)
const personKeys = keysOf(personFields)

/**
 * A deal as JSON, byte for byte as partners receive it: every key, in the order of the interface.
 * What a record leaves out or clears is null, or false where the field is a flag.
 */
export function renderDeal(deal: Deal | DealRecord): string {
  return renderObject(dealKeys, deal as unknown as Values)
}

function renderObject(keys: ReturnType<typeof keysOf>, values: Values): string {
  let json = ''
  for (const { name, prefix, kind } of keys) json += prefix + renderValue(kind, values[name])
  return json + '}'
}

/** One value of a deal as JSON. */
export function renderValue(kind: FieldKind, value: unknown): string {
  if (value === null || value === undefined) return kind === 'flag' ? 'false' : 'null'
  switch (kind) {
    case 'person': return renderObject(personKeys, value as Values)
    case 'text': return JSON.stringify(value)
    case 'time': return `"${value as string}"`
    // -0 is written as 0, as JSON.stringify does.
    default: return String(value)
  }
}

function keysOf(fields: Readonly<Record<string, { kind: FieldKind }>>) {
  return Object.entries(fields).map(([name, { kind }], index) => ({ name, kind, prefix: `${index === 0 ? '{' : ','}"${name}":` }))
}

/** The deal in a text that `renderDeal` made. */
export function parseDeal(json: string): Deal {
  return toKinds(dealFields, parseJson(json) as Record<string, unknown>) as unknown as Deal
}

function toKinds(fields: Readonly<Record<string, { kind: FieldKind }>>, values: Record<string, unknown>): Record<string, unknown> {
  for (const [name, { kind }] of Object.entries(fields)) {
    const value = values[name]
    if (kind === 'int64' && typeof value === 'number') values[name] = BigInt(value)
    if (kind === 'double' && typeof value === 'bigint') values[name] = Number(value)
    if (kind === 'person' && value !== null) toKinds(personFields, value as Record<string, unknown>)
  }
  return values
}
