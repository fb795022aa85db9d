import type { StageOf } from '../stages/stage.ts'
import { deriveColumns, derivedTypes, plainColumns } from './columns.ts'
import type { DealChange } from './deal-change.ts'
import { renderVersion } from './render.ts'
import { truncate } from './search-text.ts'

/** The computed columns, with their types. */
const derivedAndKeys = [
  ...(Object.entries(derivedTypes) as [keyof typeof derivedTypes, string][]),
  ['id', 'bigint'],
  ['partner_id', 'integer'],
] as const

/** The columns of a row's cells with their types, except the last, which is the JSON. */
const cellTypes = [
  ['people', 'integer[]'] as const,
  ['roles', 'integer[]'] as const,
  ['county', 'integer'] as const,
  ...derivedAndKeys,
  ...plainColumns.map(({ column, type }) => [column, type] as const),
]

/** The written columns of each deal, in order. */
export const writtenColumns = [...cellTypes.map(([name]) => name), 'json', 'render_version']

/** The column assignments of an update. */
export const columnUpdates = writtenColumns.map((name) => `${name} = excluded.${name}`).join(', ')

/** The column values from the array `cell`. */
export const cellValues = [
  ...cellTypes.map(([, type], index) =>
    type === 'text' ? `cell[${index + 1}]::json #>> '{}'` : `cell[${index + 1}]::${type}`,
  ),
  `cell[${cellTypes.length + 1}]`,
  `${renderVersion}::smallint`,
].join(', ')

/** Null in a row; differs from any other cell. */
export const nullCell = String.raw`\N`

/**
 * How a deal row is written: new deals as COPY lines, others as lines that a statement splits into JSON
 * strings. Cells contain no tabs or line ends.
 */
export type RowForm = 'copied' | 'split'

// An index entry is limited to 2,704 bytes, and a character to four. Columns hold values for search and
// sorting.
export const textMaxLength = 500

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** Returns a text in the text format of COPY. */
const copied = (text: string) =>
  /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character]!) : text

/** Returns a cell of a row. */
function cellOf(form: RowForm, type: string, value: unknown): string {
  if (value === null || value === undefined) return nullCell
  if (type === 'text') {
    const text = truncate(value as string, textMaxLength)
    return form === 'copied' ? copied(text) : JSON.stringify(text)
  }
  // PostgreSQL has no year 0.
  return type === 'timestamptz' && (value as string) < '0001' ? nullCell : String(value)
}

/** Stage meanings and the time (milliseconds since 1970): a deal's status depends on both. */
export interface StatusAsOf {
  stageOf: StageOf
  nowMs: number
}

/**
 * Returns the cells of a deal's row but the first, of its people, their roles and its county, as input for
 * `rowOf`.
 */
export function cellsOf(
  form: RowForm,
  { id, partnerId, json, deal }: Pick<DealChange, 'id' | 'partnerId' | 'json' | 'deal'>,
  { stageOf, nowMs }: StatusAsOf,
): string {
  const derived = { ...deriveColumns(deal, stageOf(deal.stage), nowMs), id, partner_id: partnerId }
  const cells = derivedAndKeys.map(([name, type]) => cellOf(form, type, derived[name]))
  for (const { field, type } of plainColumns) cells.push(cellOf(form, type, deal[field]))
  // Of the characters that COPY escapes, JSON may only contain backslashes.
  if (form === 'copied') cells.push(json.includes('\\') ? copied(json) : json, `${renderVersion}\n`)
  else cells.push(json)
  // Joined instead of concatenated, because a concatenation keeps all its parts in memory.
  return cells.join('\t')
}

/**
 * Returns a deal as a tab-separated row. PostgreSQL splits it in half the time that parsing the deal's JSON
 * takes, and COPY is faster still.
 */
export const rowOf = (
  people: readonly { id: number; roles: number }[],
  county: number | null,
  cells: string,
): string => {
  const ids = people.map(({ id }) => id)
  const roles = people.map((person) => person.roles)
  return `{${ids.join()}}\t{${roles.join()}}\t${county ?? nullCell}\t${cells}`
}
