import { int64Max, int64Min } from '../values/int64.ts'
import { reasonOf, type CrmProperty, SourceError } from './crm-source.ts'

// Object ids of PostgreSQL's types:
// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const types = new Map<number, CrmProperty['type']>([
  [16, 'bool'],
  [20, 'number'],
  [21, 'number'],
  [23, 'number'],
  [700, 'number'],
  [701, 'number'],
  [1082, 'date'],
  [1114, 'datetime'],
  [1184, 'datetime'],
  [1700, 'number'],
])

const wholeTypes = new Set([20, 21, 23])
const binaryType = 17
const jsonType = 114
const textTypes = new Set([25, 1042, 1043])
/** Type `money`, whose values are converted to numbers because their text depends on a database setting. */
const moneyType = 790
const uuidType = 2950

interface Column {
  name: string
  type: number
}

/** The columns of a query, with the SQL expressions for reading the columns. */
export interface QueryColumns {
  properties: CrmProperty[]
  /** The id as a bigint, or null if it is not an integer. */
  id: string
  /** The id as text, even if it is not an integer. */
  idText: string
  /** True if the query may return ids that are not integers. */
  hasOtherIds: boolean
  modified: string
  select(name: string): string
}

/**
 * Describes the columns of a query. Columns that occur twice, and columns with binary data, are not
 * properties.
 * @throws SourceError if a needed column is missing
 */
export function describeColumns(columns: readonly Column[]): QueryColumns {
  const idColumn = neededColumn(columns, 'id')
  const hasOtherIds = !wholeTypes.has(idColumn.type)
  const idText = `${hasOtherIds && types.get(idColumn.type) === 'number' ? 'records.id::numeric' : 'records.id'}::text`
  const typeOf = new Map(columns.map(({ name, type }) => [name, type]))
  const isTwice = (name: string) => columns.filter((column) => column.name === name).length > 1
  return {
    properties: columns
      .filter(({ name, type }) => type !== binaryType && !isTwice(name))
      .map(({ name, type }) => ({
        name,
        label: name,
        type: types.get(type) ?? 'string',
        isList: false,
        labels: new Map(),
      })),
    id: hasOtherIds ? int64In(idText) : 'records.id',
    idText: `coalesce(${idText}, '')`,
    hasOtherIds,
    modified: timeIn('records.last_modified', neededColumn(columns, 'last_modified').type),
    select: (name) => `${selected(`records.${identifier(name)}`, typeOf.get(name)!)} as ${identifier(name)}`,
  }
}

function selected(column: string, type: number): string {
  // Unlike text, a json value may contain an escaped NUL, which cannot be converted to text.
  if (type === jsonType) return `regexp_replace(${column}::text, '(?<!\\\\)\\\\u0000', '', 'g')::jsonb`
  return type === moneyType ? `${column}::numeric` : column
}

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`

function neededColumn(columns: readonly Column[], needed: string): Column {
  const [found, another] = columns.filter(({ name }) => name === needed)
  if (another !== undefined)
    throw new SourceError(`The query returns the column ${needed} twice. Give one of them another name.`)
  if (found === undefined) {
    const similar = columns.find(({ name }) => name.toLowerCase() === needed)
    const hint = similar === undefined ? '' : ` Write ${identifier(similar.name)} as ${needed}.`
    throw new SourceError(`The query returns no column ${needed}.${hint}`)
  }
  return found
}

/** Returns true if the ids of a query are UUIDs. */
export const hasUuids = (columns: readonly Column[]) => neededColumn(columns, 'id').type === uuidType

const int64In = (text: string) => `
  case when ${text} ~ '^\\s*-?[0-9]{1,19}(\\.0*)?\\s*$' then
    case when split_part(${text}, '.', 1)::numeric between ${int64Min} and ${int64Max}
      then split_part(${text}, '.', 1)::bigint end
  end`

/** Returns SQL that reads a time from a timestamp, a string, or seconds or milliseconds since 1970. */
function timeIn(column: string, type: number): string {
  const kind = types.get(type)
  if (kind === 'date' || kind === 'datetime') return column
  if (kind === 'number')
    return `to_timestamp(${column}::float8 / case when abs(${column}) < 1e11 then 1 else 1000 end)`
  const time = `${column}::timestamptz`
  return textTypes.has(type) ? `case when ${column} !~ '^\\s*$|^0000' then ${time} end` : time
}

const explained: Record<string, string> = {
  '57014': 'Somebody cancelled the query in the database. Reading continues later.',
  '40001':
    'The database is a replica and cancelled the query to catch up. Reading goes on later; hot_standby_feedback = on avoids this.',
}

/** Returns true if an immediate retry may succeed. */
export const isPassing = (error: unknown): boolean => passing.has((error as { code?: string }).code ?? '')

// Codes for a conflict with recovery or another transaction, and for a connection closed by a restart or a
// pooler.
const passing = new Set(['40001', '40P01', '57P01', '57P05', '08006', 'CONNECTION_CLOSED', 'ECONNRESET'])

/** Explains a database error to the operator. `isTimeout` is set if the statement exceeded its time limit. */
export function explainError(error: unknown, isTimeout: boolean): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string }
  if (code === '57014' && isTimeout) return 'The query took more than a minute.'
  const detail = (message ?? 'unknown').slice(0, 300).replace(/\.$/, '')
  if (name === 'PostgresError') return explained[code ?? ''] ?? `The database reported: ${detail}.`
  const isWithoutTls = detail.includes('before secure TLS connection was established')
  const reason = isWithoutTls
    ? 'it does not offer TLS, which sslmode requires'
    : (sqlReasons[code ?? ''] ?? reasonOf(code))
  return `The database cannot be reached: ${reason ?? code ?? detail}.`
}

const untrusted = 'its certificate is not trusted; sslmode=require encrypts without checking it'

const sqlReasons: Record<string, string> = {
  ENOENT: 'there is no such socket',
  CONNECTION_NO_PRIMARY: 'no host accepts writes, which target_session_attrs requires',
  SASL_SIGNATURE_MISMATCH: 'it does not know the password',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
}
