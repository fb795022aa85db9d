import type { Fragment, ISql } from 'postgres'
import { allOf, anyOf } from '#db/fragments.ts'
import { columnOf, flagsOf } from '../deals/columns.ts'
import { type ColumnField, type FlagValue, type ParameterValues, isText, parameters } from './parameters.ts'

/** Parameters of the REST search that the portal's list does not have. */
export type ColumnParameters = Pick<
  ParameterValues,
  'modifiedAfter' | 'createdAfter' | 'has' | 'lacks' | 'flag'
>

/** Returns the conditions of these parameters. */
export function columnConditions(sql: ISql, { has, lacks, flag, ...times }: ColumnParameters): Fragment[] {
  return [
    ...(['modifiedAfter', 'createdAfter'] as const).flatMap((name) =>
      times[name] === undefined ? [] : [isAfterTime(sql, parameters[name].column!, times[name])],
    ),
    ...(has === undefined ? [] : [anyList(sql, has, (field) => hasField(sql, field))]),
    ...(lacks === undefined ? [] : [anyList(sql, lacks, (field) => sql`not ${hasField(sql, field)}`)]),
    ...(flag === undefined
      ? []
      : [
          anyOfLists(
            sql,
            flag.map((flags) => haveValues(sql, flags)),
          ),
        ]),
  ]
}

/** Returns the condition that a time is later than this one. */
export const isAfterTime = (sql: ISql, column: string, time: string): Fragment =>
  sql`${sql.unsafe(column)} > ${time}::timestamptz`

const anyList = (
  sql: ISql,
  lists: readonly ColumnField[][],
  conditionOf: (field: ColumnField) => Fragment,
): Fragment =>
  anyOfLists(
    sql,
    lists.map((fields) => allOf(sql, fields.map(conditionOf))),
  )

const anyOfLists = (sql: ISql, lists: readonly Fragment[]): Fragment => sql`(${anyOf(sql, lists)})`

const hasField = (sql: ISql, field: ColumnField): Fragment =>
  isText(field)
    ? sql`(coalesce(${sql.unsafe(columnOf(field))}, '') <> '')`
    : sql`(${sql.unsafe(columnOf(field))} is not null)`

/**
 * Returns the condition that flags have these values as seen by partners, who see a flag that no source sent
 * as false.
 */
function haveValues(sql: ISql, flags: readonly FlagValue[]): Fragment {
  const mask = flagsOf(flags.map(({ field }) => field))
  const wanted = flagsOf(flags.flatMap(({ field, isTrue }) => (isTrue ? [field] : [])))
  const isContradiction = flags.some(({ field, isTrue }) =>
    flags.some((other) => other.field === field && other.isTrue !== isTrue),
  )
  return isContradiction ? sql`false` : sql`(coalesce(flags, 0) & ${mask}::integer) = ${wanted}::integer`
}
