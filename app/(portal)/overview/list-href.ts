import type { FlagField } from '#server/deals/find/columns.ts'
import type { DealFilter, DealSort } from '#server/deals/find/wire.ts'
import { type Days, textOfDays } from '../deals/dates.ts'
import { dealsHref } from '../deals/query.ts'

/** The part of the filter that the overview uses. */
export type ListFilter = Pick<
  DealFilter,
  | 'stages'
  | 'flags'
  | 'dates'
  | 'present'
  | 'missing'
  | 'done'
  | 'todo'
  | 'gates'
  | 'holds'
  | 'isOpen'
  | 'isLost'
  | 'isUndated'
  | 'lateWith'
  | 'news'
  | 'inStep'
  | 'took'
  | 'reached'
  | 'values'
  | 'pipelines'
  | 'states'
>

/** Returns the URL of the list of matching deals. */
export function listHref(
  {
    stages,
    pipelines,
    states,
    values,
    flags = {},
    dates = {},
    present,
    missing,
    done,
    todo,
    gates,
    holds,
    inStep,
    took,
    reached,
    isOpen,
    isLost,
    isUndated,
    lateWith,
    news,
  }: ListFilter,
  sort: DealSort | null = null,
): string {
  const flagsThatAre = (wanted: boolean) =>
    (Object.keys(flags) as FlagField[]).filter((field) => flags[field] === wanted)
  const days = Object.fromEntries(
    (Object.entries({ ...dates, ...news }) as [string, Days][]).map(([field, range]) => [
      field,
      textOfDays(range),
    ]),
  )
  return dealsHref({
    ...days,
    ...values,
    stage: stages ?? null,
    pipeline: pipelines ?? null,
    state: states ?? null,
    yes: flagsThatAre(true),
    no: flagsThatAre(false),
    has: present ?? null,
    lacks: missing ?? null,
    done: done ?? null,
    todo: todo ?? null,
    late: lateWith ?? null,
    gate: gates ?? null,
    hold: holds ?? null,
    wait: inStep ?? null,
    took: took ?? null,
    reached: reached ?? null,
    is: [
      ...(isOpen ? (['open'] as const) : []),
      ...(isLost ? (['lost'] as const) : []),
      ...(isUndated ? (['undated'] as const) : []),
    ],
    sort,
  })
}
