import type { StageOf } from '../stages/stage.ts'
import type { DealChange } from './change.ts'
import { deriveColumns, derivedTypes, plainColumns } from './columns.ts'
import { renderVersion } from './render.ts'
import { truncate } from './search-text.ts'

const derivedAndKeys = [
  ...(Object.entries(derivedTypes) as [keyof typeof derivedTypes, string][]),
  ['id', 'bigint'],
  ['partner_id', 'integer'],
] as const

/**
 * The columns for the cells of a row, with their types. The last cell contains the JSON and is not included.
 */
const cellTypes = [
  ['people', 'integer[]'] as const,
  ['roles', 'integer[]'] as const,
  ['county', 'integer'] as const,
  ...derivedAndKeys,
  ...plainColumns.map(({ column, type }) => [column, type] as const),
]

export const writtenColumns = [...cellTypes.map(([name]) => name), 'json', 'render_version']

export const columnUpdates = writtenColumns.map((name) => `${name} = excluded.${name}`).join(', ')

/** The values of all columns, taken from the array `cell`. */
export const cellValues = [
  ...cellTypes.map(([, type], index) =>
    type === 'text' ? `cell[${index + 1}]::json #>> '{}'` : `cell[${index + 1}]::${type}`,
  ),
  `cell[${cellTypes.length + 1}]`,
  `${renderVersion}::smallint`,
].join(', ')

/** Represents null in a row; no other cell has this text. */
export const nullCell = String.raw`\N`

/**
 * The form in which a deal's row is written: new deals as lines for COPY, and others as lines that a
 * statement splits into JSON strings. Cells contain no tabs or line breaks.
 */
export type RowForm = 'copied' | 'split'

// An index entry is limited to 2,704 bytes, and a character takes up to four. Columns contain values for
// search and sorting.
export const textMaxLength = 500

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** Escapes a string for COPY's text format. */
const copied = (text: string) =>
  /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character]!) : text

function cellOf(form: RowForm, type: string, value: unknown): string {
  if (value === null || value === undefined) return nullCell
  if (type === 'text') {
    const text = truncate(value as string, textMaxLength)
    return form === 'copied' ? copied(text) : JSON.stringify(text)
  }
  // PostgreSQL has no year 0.
  return type === 'timestamptz' && (value as string) < '0001' ? nullCell : String(value)
}

/** The meanings of stages and the time (in milliseconds since 1970) that a deal's status is based on. */
export interface StatusAsOf {
  stageOf: StageOf
  nowMs: number
}

/**
 * Returns all cells of a deal's row except those for its people, their roles and its county. Pass the result
 * to `rowOf`.
 */
export function cellsOf(
  form: RowForm,
  { id, partnerId, json, deal }: Pick<DealChange, 'id' | 'partnerId' | 'json' | 'deal'>,
  { stageOf, nowMs }: StatusAsOf,
): string {
  const derived = { ...deriveColumns(deal, stageOf(deal.stage), nowMs), id, partner_id: partnerId }
  const cells = derivedAndKeys.map(([name, type]) => cellOf(form, type, derived[name]))
  for (const { field, type } of plainColumns) cells.push(cellOf(form, type, deal[field]))
  // Backslashes are the only characters in JSON that COPY requires to be escaped.
  if (form === 'copied') cells.push(json.includes('\\') ? copied(json) : json, `${renderVersion}\n`)
  else cells.push(json)
  // Uses `join`, because a concatenated string keeps all its parts in memory.
  return cells.join('\t')
}

/**
 * Returns a deal as a row with tab-separated cells. Splitting this row takes PostgreSQL half the time of
 * parsing the deal's JSON, and COPY is even faster.
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
