import type { Fragment, ISql } from 'postgres'
import { listed } from '#db/fragments.ts'
import type { TenantScope } from '../accounts/partner.ts'
import type { TimeField } from '../deals/columns.ts'
import type { StepDates } from '../deals/milestones/flow.ts'
import { datedDeals, onceEach } from '../search/dated-store.ts'
import { needsNoPermit } from '../search/flow-store.ts'
import { dayNumberBySql } from '../search/step-store.ts'
import type { DealSnapshot } from '../search/totals/store.ts'
import { type StageKind, isWon } from '../stages/stage.ts'
import { stagesThat } from '../stages/store.ts'
import { type Zone, addDays, dayNumberOf, utc } from '../values/zone.ts'
import type { StepDays } from './usual.ts'

/** A grouping expression that puts all deals in one group. */
export const noValue = (sql: DealSnapshot) => sql`''::text`

/**
 * Returns the names of the stages of this kind for use in conditions. PostgreSQL would not run the query in
 * parallel if it looked them up itself.
 */
export async function readStagesThat(sql: DealSnapshot, is: (kind: StageKind) => boolean): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`${stagesThat(sql, is)}`
  return rows.map(({ name }) => name)
}

/** Number of days before the reported spans within which most of their steps began. */
const daysBeforeSpans = 365

const spansMax = 32
const daysMax = 2 ** 20

/**
 * Packs a step, a span and a number of days into one integer, which is twice as fast to group by as three
 * columns.
 */
const packedKey = (sql: ISql, step: number, span: Fragment, days: Fragment): Fragment =>
  sql`(${step * spansMax}::integer + ${span}) * ${daysMax}::integer + ${days}`

/**
 * Counts the tenant's deals by the calendar days that each step took, for steps that ended on or after the
 * first of the `starts`. A start is the first day of a span, such as `2026-03-01`. All usual durations in the
 * portal, in mail and in REST are computed from these counts. Excludes missing, future and out-of-order
 * dates. A deal is paid when it enters a won stage.
 */
export async function readDurations<Name extends string>(
  sql: DealSnapshot,
  tenant: TenantScope,
  zone: Zone,
  starts: string[],
  steps: Readonly<Record<Name, StepDates>>,
  { value, values }: { value: Fragment; values: string[] } = { value: noValue(sql), values: [''] },
): Promise<(StepDays<Name> & { value: string })[]> {
  const names = Object.keys(steps) as Name[]
  const fields = [...new Set(names.flatMap((name) => [steps[name].from, steps[name].to]))]
  const won = await readStagesThat(sql, isWon)
  const { deals, time } = datedDeals(sql, tenant, zone, fields)
  const dayNumberOfDay = (day: string) => dayNumberOf(`${day}T00:00:00Z`, utc)
  const first = addDays(starts[0]!, -daysBeforeSpans)
  const day = (field: TimeField) => sql`${sql(`day_${field}`)}`
  const days = fields.map((field) => sql`${dayNumberBySql(sql, time(field), first, zone)} as ${day(field)}`)
  const spanStarts = `{${starts.map(dayNumberOfDay).join()}}`
  const keys = names.map((name, index) => {
    const { from, to, fromWithoutPermit } = steps[name]
    const begun =
      fromWithoutPermit === undefined
        ? day(from)
        : sql`case when ${needsNoPermit(sql)} then ${day(fromWithoutPermit)} else ${day(from)} end`
    const isOver = to === 'timeInCurrentStage' ? sql`stage = any(${won}::text[])` : sql`true`
    const span = sql`width_bucket(${day(to)}, ${spanStarts}::integer[])`
    return sql`case when ${day(to)} >= greatest(${begun}, ${dayNumberOfDay(starts[0]!)}::integer) and ${isOver}
      then ${packedKey(sql, index, span, sql`${day(to)} - ${begun}`)} end`
  })
  const rows = await sql<{ value: string; key: number; count: number }[]>`
    select value, key, count(*)::float8 as count
    from (
      select ${value} as value, unnest(array[${listed(sql, keys)}]) as key
      from (select *, ${listed(sql, days)} from ${deals} ${onceEach(sql)}) deals
      where ${value} = any(${values}::text[])
    ) steps
    where key is not null
    group by 1, 2`
  return rows.map(({ value: ofDeals, key, count }) => {
    const stepAndSpan = Math.floor(key / daysMax)
    const step = names[Math.floor(stepAndSpan / spansMax)]!
    return { step, span: stepAndSpan % spansMax, days: key % daysMax, value: ofDeals, count }
  })
}
