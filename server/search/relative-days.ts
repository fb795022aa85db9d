import type { TimeField } from '../deals/columns.ts'
import { parseDays } from '../values/day-choice.ts'
import type { FilterInput } from './filters.ts'
import type { NewsKind } from './news.ts'

/** The parts of a filter that are relative to today: `{ dates: { permitSubmitted: 'last-7-days' } }`. */
export interface RelativeDays {
  dates?: Partial<Record<TimeField, string>> | undefined
  news?: Partial<Record<NewsKind, string>> | undefined
}

/** Returns the filter with relative days resolved for `today`. */
export function filterOn<Filter extends FilterInput>(
  filter: Filter,
  relativeDays: RelativeDays,
  today: string,
): Filter {
  const daysOf = (texts: Partial<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => {
        const days = parseDays(text!, today)
        return days === null ? [] : [[name, days]]
      }),
    )
  const { dates, news } = relativeDays
  return {
    ...filter,
    ...(dates !== undefined && { dates: { ...filter.dates, ...daysOf(dates) } }),
    ...(news !== undefined && { news: { ...filter.news, ...daysOf(news) } }),
  }
}

/** Returns the keys of a filter whose matches can change from day to day. */
export function keysByDay({ inStep, ...filter }: FilterInput, { dates, news }: RelativeDays) {
  const keys: (keyof FilterInput)[] = []
  if (filter.isLate !== undefined) keys.push('isLate')
  if (filter.lateWith !== undefined) keys.push('lateWith')
  if (Object.values(inStep ?? {}).some((days) => days > 0)) keys.push('inStep')
  if (dates !== undefined) keys.push('dates')
  if (news !== undefined) keys.push('news')
  return keys
}
