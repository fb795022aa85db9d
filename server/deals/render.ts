import { parseJson } from '../protocol/int64.ts'
import { type Deal, type DealRecord, type FieldKind, dealFields, personFields } from './deal.ts'

/**
 * The hash of what each version stores of a deal, the current one last. A released hash never changes: the test of
 * this list prints the one to append.
 */
export const renderedShapes = [
  'db0c0ea5c836fd84',
  'd74b50537387a957',
  '9e8b3ef3a4104dcb',
  '6700008926d9e7b2',
  '06ef36eef454aa72',
  'bd390a6b8b9cc230',
  'f3570f54907d7db9',
]

/**
 * The version of a stored deal: its JSON and derived columns. It goes up with every change to either, which
 * makes the deals of older versions be re-rendered; `render-version.test.ts` fails until it does.
 */
export const renderVersion = renderedShapes.length

type Values = Readonly<Record<string, unknown>>

const dealKeys = keysOf(dealFields)
const personKeys = keysOf(personFields)

/**
 * Returns a deal as JSON, byte for byte as partners receive it: every key, in the order of the interface.
 * Fields that a record omits or clears are null, or false for flags.
 */
export function renderDeal(deal: Deal | DealRecord): string {
  return renderObject(dealKeys, deal as unknown as Values)
}

function renderObject(keys: ReturnType<typeof keysOf>, values: Values): string {
  let json = ''
  for (const { name, prefix, kind } of keys) json += prefix + renderValue(kind, values[name])
  return json + '}'
}

/** Returns a value of a deal as JSON. */
export function renderValue(kind: FieldKind, value: unknown): string {
  if (value === null || value === undefined) return kind === 'flag' ? 'false' : 'null'
  switch (kind) {
    case 'person':
      return renderObject(personKeys, value as Values)
    case 'text':
      return JSON.stringify(value)
    case 'time':
      return `"${value as string}"`
    // -0 becomes 0, as in JSON.stringify.
    default:
      return String(value)
  }
}

function keysOf(fields: Readonly<Record<string, { kind: FieldKind }>>) {
  return Object.entries(fields).map(([name, { kind }], index) => ({
    name,
    kind,
    prefix: `${index === 0 ? '{' : ','}"${name}":`,
  }))
}

/** Parses a deal rendered by this version or an older one; missing fields are unknown. */
export function parseDeal(json: string): Deal {
  return toDeal(parseJson(json))
}

/** Re-renders deals that an older version may have rendered: any number of them, separated by commas. */
export function renderAgain(dealsJson: string): string {
  return (parseJson(`[${dealsJson}]`) as unknown[]).map((deal) => renderDeal(toDeal(deal))).join(',')
}

const toDeal = (value: unknown) => toKinds(dealKeys, value as Record<string, unknown>) as unknown as Deal

function toKinds(keys: ReturnType<typeof keysOf>, values: Record<string, unknown>): Record<string, unknown> {
  for (const { name, kind } of keys) {
    const value = values[name]
    if (value === undefined) values[name] = kind === 'flag' ? false : null
    else if (kind === 'int64' && typeof value === 'number') values[name] = BigInt(value)
    else if (kind === 'double' && typeof value === 'bigint') values[name] = Number(value)
    else if (kind === 'person' && value !== null) toKinds(personKeys, value as Record<string, unknown>)
  }
  return values
}
