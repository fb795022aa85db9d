import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { connect } from '#db/client.ts'
import { int64Min, parseInt64 } from '../values/int64.ts'
import { minuteMs } from '../values/units.ts'
import { type CrmDirectory, type CrmPage, type CrmRecord, type CrmSource, SourceError } from './crm-source.ts'
import { lastIdOf } from './source-state.ts'
import { type QueryColumns, describeColumns, explainError, hasUuids, isPassing } from './sql-columns.ts'

const pageSize = 500
/** Maximum number of rows on a page with only ids and times. */
const idPageSize = 20_000
const recentCount = 100
const statementMs = minuteMs
const connectS = 10
const attempts = 3
const retryMs = 500

const oneByOne = { max_pipeline: 0 }

/**
 * Returns SQL for the text of a JSON value. Arrays are joined with commas, except references such as `[4,
 * "Won"]`.
 */
const textOf = (value: string) => `
  case
    when jsonb_path_exists(${value}, 'strict $ ? (@.size() == 2 && @[0].type() == "number" && @[1].type() == "string")')
      then ${value}::text
    when jsonb_typeof(${value}) = 'array' and not jsonb_path_exists(${value}, 'strict $[*] ? (@.type() == "object" || @.type() == "array")') then (
      select string_agg(word, ', ' order by place)
      from jsonb_array_elements_text(${value}) with ordinality as words (word, place))
    else ${value} #>> '{}'
  end`

interface Row {
  id: string
  modifiedMs: number | null
  values?: Record<string, string | null>
}

interface Page {
  parameters: number[]
  afterId: bigint
  properties: readonly string[]
}

/**
 * A query on another PostgreSQL database as a source of deals. The query returns a column `id` (an int64), a
 * column `last_modified` (a timestamp), and one column per property. Each read is a read-only transaction.
 */
export class SqlSource implements CrmSource {
  readonly pageSize = pageSize
  readonly #sql: postgres.Sql
  readonly #query: string
  readonly #zone: string
  readonly #signal: AbortSignal
  #skewMs = 0
  #columns!: QueryColumns

  constructor(url: string, { query, zone }: { query: string; zone: string }, signal: AbortSignal) {
    this.#query = withoutEnd(query)
    this.#zone = zone
    this.#signal = signal
    this.#sql = open(url, {
      max: 1,
      connect_timeout: connectS,
      // Poolers reject most startup settings, do not keep prepared statements, and switch sessions between
      // transactions.
      prepare: false,
      fetch_types: false,
      ...oneByOne,
      connection: { application_name: 'partner-deals' },
    })
  }

  nowMs(): number {
    return Date.now() + this.#skewMs
  }

  close(): Promise<void> {
    return this.#sql.end({ timeout: 1 })
  }

  async readDirectory(): Promise<CrmDirectory> {
    const [now] = await this.#read<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms where $1',
      [true],
    )
    this.#skewMs = Math.floor(now!.ms - Date.now())
    const { columns } = await this.#read(`${this.#from()} limit $1`, [0])
    if (hasUuids(columns)) {
      const [row] = await this.#read<Row>(`${this.#from('select id::text')} limit $1`, [1])
      throw new SourceError(
        `The column id contains UUIDs${row ? ` such as ${row.id}` : ''}; the id of a deal must be an integer.`,
      )
    }
    this.#columns = describeColumns(columns)
    return {
      properties: new Map(this.#columns.properties.map((property) => [property.name, property])),
      people: new Map(),
      teams: new Map(),
      stages: [],
    }
  }

  async readChanges(
    { fromMs, toMs }: { fromMs: number; toMs: number },
    afterId: bigint,
    properties: readonly string[],
  ): Promise<CrmPage> {
    const { modified } = this.#columns
    const within = `${modified} >= to_timestamp($1::float8 / 1000) and ${modified} <= to_timestamp($2::float8 / 1000)`
    // The first load includes rows without a time or with a future time. Later changes to such rows are found
    // by the comparison.
    const inWindow = fromMs === 0 ? `($1::float8 <= $2::float8 or ${modified} is null)` : within
    const records = await this.#records(`where ${inWindow} and`, {
      parameters: [fromMs, toMs],
      afterId,
      properties,
    })
    if (afterId !== int64Min || properties.length === 0) return { records, total: null }
    const [counted] = await this.#read<{ total: number }>(
      `select count(*)::integer as total ${this.#from('')} where ${inWindow}`,
      [fromMs, toMs],
    )
    return { records, total: counted!.total }
  }

  async readRecent(properties: readonly string[]): Promise<CrmRecord[]> {
    return this.#select(
      `order by ${this.#columns.modified} desc nulls last limit $1`,
      [recentCount],
      properties,
    )
  }

  async readAll(after: string, properties: readonly string[]) {
    const afterId = after === '' ? int64Min : BigInt(after)
    const limit = properties.length === 0 ? idPageSize : pageSize
    const records = await this.#records('where', { parameters: [], afterId, properties }, limit)
    const last = lastIdOf(records, afterId)
    return { records, next: records.length < limit ? null : String(last) }
  }

  readRecords(ids: readonly bigint[], properties: readonly string[]): Promise<CrmRecord[]> {
    return this.#select(
      `where ${this.#columns.id} = any(string_to_array($1, ',')::bigint[])`,
      [ids.join(',')],
      properties,
    )
  }

  /** The line break ends a comment at the end of the query. */
  #from(select = 'select *'): string {
    return `${select} from (\n${this.#query}\n) as records`
  }

  /** Returns the next rows by ascending id. Rows whose ids are not integers come last and are rejected. */
  async #records(
    where: string,
    { parameters, afterId, properties }: Page,
    limit = pageSize,
  ): Promise<CrmRecord[]> {
    const { id, hasOtherIds } = this.#columns
    const [after, most] = [parameters.length + 1, parameters.length + 2]
    const isNext = `${id} > $${after}::bigint`
    const records = await this.#select(
      `${where} ${hasOtherIds ? `(${isNext} or ${id} is null)` : isNext} order by ${id} limit $${most}`,
      [...parameters, String(afterId), limit],
      properties,
    )
    // A full page of such rows would be read again and again.
    return records.some((record) => parseInt64(record.id) !== null) ? records : records.slice(0, limit - 1)
  }

  async #select(
    rest: string,
    parameters: (string | number)[],
    properties: readonly string[],
  ): Promise<CrmRecord[]> {
    const { id, idText, hasOtherIds, modified, select } = this.#columns
    const picked = `(select to_jsonb(picked.*) from (select ${properties.map(select).join(', ')}) as picked)`
    const values =
      properties.length === 0
        ? ''
        : `, (select json_object_agg(key, ${textOf('value')}) from jsonb_each(${picked})) as values`
    const rows = await this.#read<Row>(
      `select ${hasOtherIds ? `coalesce((${id})::text, ${idText})` : idText} as id,
        floor(extract(epoch from (${modified})::timestamptz) * 1000)::float8 as "modifiedMs"${values}
      ${this.#from('')} ${rest}`,
      parameters,
    )
    return rows.map(({ id, modifiedMs, values }) => ({
      id,
      modifiedMs: modifiedMs ?? 0,
      values: values ?? {},
    }))
  }

  /** Runs a statement, and retries it after temporary errors of the server or a pooler. */
  async #read<T extends object>(statement: string, parameters: (string | number | boolean)[]) {
    for (let attempt = 1; ; attempt++) {
      const startedAt = performance.now()
      try {
        return await this.#readOnce<T>(statement, parameters)
      } catch (error) {
        this.#signal.throwIfAborted()
        const isTimeout = performance.now() - startedAt >= statementMs
        if (attempt === attempts || !isPassing(error)) throw new SourceError(explainError(error, isTimeout))
        await sleep(retryMs, undefined, { signal: this.#signal })
      }
    }
  }

  /** Parameters force the extended protocol, which allows only one statement. */
  async #readOnce<T extends object>(statement: string, parameters: (string | number | boolean)[]) {
    this.#signal.throwIfAborted()
    const stop = () => void this.#sql.end({ timeout: 0 })
    this.#signal.addEventListener('abort', stop, { once: true })
    try {
      return await this.#sql.begin('read only', async (tx) => {
        await tx`select set_config('TimeZone', ${this.#zone}, true), set_config('DateStyle', 'ISO', true),
          set_config('statement_timeout', ${String(statementMs)}, true)`
        return tx.unsafe<T[]>(statement, parameters)
      })
    } finally {
      this.#signal.removeEventListener('abort', stop)
    }
  }
}

/** Matches string literals, quoted names, comments, and any other character. */
const parts = /e'(?:[^'\\]|\\[^])*'|'[^']*'|"[^"]*"|--.*|\/\*[^*]*\*\/|[^]/gi

/** Returns a query without trailing semicolons and comments. */
function withoutEnd(query: string): string {
  let end = 0
  for (const { 0: part, index } of query.matchAll(parts))
    if (!/^(?:[\s;]|--|\/\*)/.test(part)) end = index + part.length
  return query.slice(0, end)
}

/** @throws SourceError for a URL that the driver cannot read */
function open(url: string, options: Parameters<typeof connect>[1]): postgres.Sql {
  try {
    return connect(forDriver(url), options)
  } catch {
    throw new SourceError(
      'The URL of the database cannot be read. Write special characters of its user and password as %40 (@), %2F (/) or %25 (%).',
    )
  }
}

/**
 * URL parameters that the driver handles or the server accepts. Other parameters are meant for other drivers.
 */
const understood = new Set(['sslmode', 'target_session_attrs', 'options', 'search_path'])

/** The driver's name for each `sslmode` of libpq. Some hosting providers use `no-verify`. */
const modes = new Map([
  ['no-verify', 'require'],
  ['verify-ca', 'verify-full'],
])

/**
 * Removes parameters meant for other drivers from a URL, such as `channel_binding`, `pgbouncer`, or
 * `connection_limit`. The server would reject these as unknown settings.
 */
export function forDriver(url: string): string {
  const at = url.indexOf('?')
  if (at < 0) return url
  const parameters = new URLSearchParams(url.slice(at + 1))
  const isByFlag = ['true', '1'].includes(parameters.get('ssl') ?? '')
  const isBySystem = parameters.get('sslrootcert') === 'system'
  const understoodOnly = [...parameters].filter(([name]) => understood.has(name))
  const written = understoodOnly.map(([name, value]) => {
    const known = name === 'sslmode' ? (modes.get(value) ?? value) : value
    return `${name}=${encodeURIComponent(known)}`
  })
  if (!parameters.has('sslmode') && (isBySystem || isByFlag))
    written.push(`sslmode=${isBySystem ? 'verify-full' : 'require'}`)
  return written.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${written.join('&')}`
}
