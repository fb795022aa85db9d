import { derivedTypes, formerDayColumns, plainColumns } from './find/columns.ts'

/** The columns that are computed here, with their types. */
export const derivedAndKeys = { ...derivedTypes, id: 'bigint', partner_id: 'integer', people: 'integer[]' }

/** The columns that are written of each deal, in order. */
export const writtenColumns = [
  ...Object.keys(derivedAndKeys),
  ...plainColumns.map(({ column }) => column),
  'json',
  'render_version',
]

/** What an update of a deal sets; the columns of version 1 would still be looked at. */
export const columnUpdates = [
  ...writtenColumns.map((name) => `${name} = excluded.${name}`),
  ...formerDayColumns.map((name) => `${name} = null`),
].join(', ')

/** The values of the columns that PostgreSQL takes from the JSON; it has no year 0. */
export const plainValues = plainColumns
  .map(({ field, type }) =>
    type === 'text' || type === 'float8'
      ? `plain."${field}"::${type}`
      : `(case when plain."${field}" >= '0001' then plain."${field}" end)::${type}`,
  )
  .join(', ')
