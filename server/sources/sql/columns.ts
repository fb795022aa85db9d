import type { CrmProperty } from '../crm-source.ts'

// Object ids of PostgreSQL's types: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
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

/** Returns the type of a column's values. */
export const columnTypeOf = (oid: number): CrmProperty['type'] => types.get(oid) ?? 'string'

/** Returns an error of the database in words for the operator. */
export function explainError(error: unknown): string {
  const { code, message, severity } = error as { code?: string; message?: string; severity?: string }
  const detail = (message ?? 'unknown').slice(0, 300).replace(/\.$/, '')
  if (severity === undefined) return `The database cannot be reached: ${code ?? detail}.`
  if (code === '57014') return 'The query took more than a minute.'
  return `The database answered: ${detail}.`
}
