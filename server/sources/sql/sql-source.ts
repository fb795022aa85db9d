import type postgres from 'postgres'
import { connect } from '#db/client.ts'
import { minuteMs } from '../../values/units.ts'
import {
  type CrmDirectory,
  type CrmPage,
  type CrmProperty,
  type CrmRecord,
  type CrmSource,
  SourceError,
} from '../crm-source.ts'
import { explainError, columnTypeOf } from './columns.ts'
import { forDriver } from './connection-url.ts'

// Batch size, and the time limit of a statement.
const changesPage = 500
const allPage = 1000
const recentCount = 100
const statementMs = minuteMs
const connectS = 10

/** Missing from the driver's types. */
const oneByOne = { max_pipeline: 0 }

/** Values of type money become numbers, because their text depends on a setting of the database. */
const moneyType = 790

/** Types of times, which can be compared as they are; others are cast, such as a text. */
const timeTypes = new Set([1082, 1114, 1184])

/** Returns SQL for the text of a JSON value; arrays are joined with commas. */
const textOf = (value: string) => `
  case
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

/**
 * A query on another PostgreSQL as a source of deals. It returns a column `id` (an int64), a column
 * `last_modified` (a timestamp) and one column per property. Each read is a read-only transaction.
 */
export class SqlSource implements CrmSource {
  readonly pageSize = changesPage
  readonly #sql: postgres.Sql
  readonly #query: string
  readonly #zone: string
  readonly #signal: AbortSignal
  #skewMs = 0
  /** The columns of the query by name, once they are known. */
  #types: ReadonlyMap<string, number> = new Map()

  constructor(url: string, { query, zone }: { query: string; zone: string }, signal: AbortSignal) {
    this.#query = query.trim().replace(/;$/, '')
    this.#zone = zone
    this.#signal = signal
    this.#sql = open(url, {
      max: 1,
      connect_timeout: connectS,
      // Poolers refuse most settings at startup, keep no prepared statements, and change the session between
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
    this.#types = new Map(columns.map(({ name, type }) => [name, type]))
    const properties = columns.map(({ name, type }): CrmProperty => ({
      name,
      label: name,
      type: columnTypeOf(type),
      isList: false,
      labels: new Map(),
    }))
    for (const needed of ['id', 'last_modified'])
      if (!properties.some(({ name }) => name === needed))
        throw new SourceError(`The query returns no column ${needed}.`)
    return {
      properties: new Map(properties.map((property) => [property.name, property])),
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
    const modified = timeTypes.has(this.#types.get('last_modified') ?? 0)
      ? 'last_modified'
      : 'last_modified::timestamptz'
    const within = `${modified} >= to_timestamp($1::float8 / 1000) and ${modified} <= to_timestamp($2::float8 / 1000)`
    const records = await this.#records(
      `where ${within} and id > $3::bigint order by records.id limit $4`,
      [fromMs, toMs, String(afterId), changesPage],
      properties,
    )
    if (afterId !== 0n || properties.length === 0) return { records, total: null }
    const [counted] = await this.#read<{ total: number }>(
      `select count(*)::integer as total ${this.#from('')} where ${within}`,
      [fromMs, toMs],
    )
    return { records, total: counted!.total }
  }

  async readRecent(properties: readonly string[]): Promise<CrmRecord[]> {
    return this.#records(
      'order by last_modified::timestamptz desc nulls last limit $1',
      [recentCount],
      properties,
    )
  }

  async readAll(after: string, properties: readonly string[]) {
    const records = await this.#records(
      'where id > $1::bigint order by records.id limit $2',
      [after === '' ? '0' : after, allPage],
      properties,
    )
    return { records, next: records.length < allPage ? null : records.at(-1)!.id }
  }

  readRecords(ids: readonly bigint[], properties: readonly string[]): Promise<CrmRecord[]> {
    return this.#records("where id = any(string_to_array($1, ',')::bigint[])", [ids.join(',')], properties)
  }

  /** The line break ends a comment at the end of the query. */
  #from(select = 'select *'): string {
    return `${select} from (\n${this.#query}\n) as records`
  }

  async #records(
    rest: string,
    parameters: (string | number)[],
    properties: readonly string[],
  ): Promise<CrmRecord[]> {
    const money = [...this.#types].filter(([, type]) => type === moneyType).map(([name]) => name)
    const numbers = money.map((name) => `, ${literal(name)}, records.${identifier(name)}::numeric`).join('')
    const all = `to_jsonb(records) || jsonb_build_object(${numbers.slice(2)})`
    const values =
      properties.length === 0
        ? ''
        : `, (select json_object_agg(key, ${textOf('value')}) from jsonb_each(${all})) as values`
    const rows = await this.#read<Row>(
      `select id::text as id, floor(extract(epoch from last_modified::timestamptz) * 1000)::float8 as "modifiedMs"${values}
      ${this.#from('')} ${rest}`,
      parameters,
    )
    return rows.map(({ id, modifiedMs, values }) => ({
      id,
      modifiedMs: modifiedMs ?? 0,
      values: values ?? {},
    }))
  }

  /** Parameters force the extended protocol, which allows a single statement. */
  async #read<T extends object>(statement: string, parameters: (string | number | boolean)[]) {
    this.#signal.throwIfAborted()
    const stop = () => void this.#sql.end({ timeout: 0 })
    this.#signal.addEventListener('abort', stop, { once: true })
    try {
      return await this.#sql.begin('read only', async (tx) => {
        await tx`select set_config('TimeZone', ${this.#zone}, true), set_config('DateStyle', 'ISO', true),
          set_config('statement_timeout', ${String(statementMs)}, true)`
        return tx.unsafe<T[]>(statement, parameters)
      })
    } catch (error) {
      this.#signal.throwIfAborted()
      throw new SourceError(explainError(error))
    } finally {
      this.#signal.removeEventListener('abort', stop)
    }
  }
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

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`
