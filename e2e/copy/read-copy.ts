import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parse } from 'csv-parse/sync'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { dealFields, type FieldKind, personFields } from '#server/deals/deal.ts'
import { listedDeals } from '../rest/deals.ts'

/** A row as another program would read it: text values, or null if unknown. */
export type Row = Record<string, string | null>

/** Reads the rows of a table in the copy without using the program. */
export async function readTable(to: string, table: string): Promise<Row[]> {
  const rows = await readRows(to, `partner_${table}`)
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])),
  )
}

async function readRows(to: string, table: string): Promise<object[]> {
  const [scheme] = to.split(':')
  const path = to.slice(to.indexOf(':') + 1)
  if (scheme === 'csv')
    return parse(readFileSync(`${path}/${table}.csv`), {
      columns: true,
      cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
    })
  if (scheme === 'sqlite') {
    using database = new DatabaseSync(path, { timeout: 5000 })
    const statement = database.prepare(`select * from ${table}`)
    statement.setReadBigInts(true)
    return statement.all()
  }
  if (scheme === 'mysql') {
    const connection = await mysql.createConnection({
      uri: to,
      supportBigNumbers: true,
      bigNumberStrings: true,
      timezone: 'Z',
    })
    const [rows] = await connection.query(`select * from ${table}`)
    connection.destroy()
    return rows as object[]
  }
  // Keep only the schema option. Other query parameters are meant for the program.
  const options = new URL(to).searchParams.get('options')
  const sql = postgres(to.split('?')[0]!, {
    max: 1,
    prepare: false,
    ...(options === null ? {} : { connection: { options } }),
  })
  try {
    return await sql.unsafe(`select * from ${table}`)
  } finally {
    await sql.end()
  }
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const columnName = (field: string) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * Returns true if the stored value equals the field's value. `value` contains numbers as they are written in
 * the JSON.
 */
function isSame(kind: FieldKind, value: unknown, stored: string | null | undefined): boolean {
  if (value === null || value === undefined) return stored === null
  if (stored === null || stored === undefined) return false
  if (kind === 'flag') return (stored === 'true' || stored === '1') === value
  if (kind === 'money' || kind === 'double') return Number(stored) === Number(value)
  return stored === String(value)
}

type Json = Record<string, unknown>

function differences(
  fields: Record<string, { kind: FieldKind }>,
  values: Json,
  row: Row | undefined,
): string[] {
  return Object.entries(fields).flatMap(([name, { kind }]) => {
    if (kind === 'person') return []
    const column = fields === personFields && name === 'id' ? 'person_id' : columnName(name)
    const stored = row?.[column]
    return isSame(kind, values[name], stored) ? [] : [`${name}: ${String(values[name])} / ${String(stored)}`]
  })
}

/**
 * Compares a copy with the response of `GET` for every deal. Returns the differences, which are empty for a
 * correct copy.
 */
export async function differencesOf(system: { url: string }, token: string, to: string): Promise<string[]> {
  const [deals, rows, persons] = await Promise.all([
    allDeals(system, token),
    readTable(to, 'deals'),
    readTable(to, 'persons'),
  ])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byRole = new Map(persons.map((row) => [`${row.deal_id} ${row.role}`, row]))
  const found = deals.flatMap((deal) => {
    const id = String(deal.id)
    const row = byId.get(id)
    byId.delete(id)
    const ofPersons = Object.entries(dealFields).flatMap(([name, { kind }]) => {
      if (kind !== 'person') return []
      const key = `${id} ${columnName(name)}`
      const person = byRole.get(key)
      byRole.delete(key)
      if (deal[name] === null) return person === undefined ? [] : [`${name}: unexpected`]
      return differences(personFields, deal[name] as Json, person)
    })
    return [...differences(dealFields, deal, row), ...ofPersons].map((text) => `${id} ${text}`)
  })
  const extra = [...byId.keys(), ...byRole.keys()].map((key) => `${String(key)} is not in the portal`)
  return [...found, ...extra]
}

/** Returns all deals of the list. Numbers are kept as text, as they are written in the JSON. */
const allDeals = (system: { url: string }, token: string) =>
  listedDeals(
    system,
    token,
    (text) =>
      JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
        typeof value === 'number' ? source : value,
      ) as { deals: Json[]; pages: string },
  )
