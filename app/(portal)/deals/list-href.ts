import { type Filter, type FilterInput, filters, keyOfMark, markNames } from '#server/search/filters.ts'
import type { DealSort } from '#server/search/wire.ts'
import type { Days } from '#server/values/day-choice.ts'
import { type FilterState, dealsHref } from './query.ts'

/** Returns the URL of the list of matching deals. */
export const listHref = (filter: FilterInput, sort: DealSort | null = null): string =>
  dealsHref({ ...stateOf(filter), sort })

type Params = Readonly<Record<string, unknown>>

/** Returns the query parameters for an API filter. */
export function stateOf(
  input: FilterInput,
): Partial<{ [Name in keyof FilterState]: FilterState[Name] | null }> {
  return Object.assign(
    {},
    ...Object.entries<Filter>(filters).map(([name, filter]): Params => {
      switch (filter.kind) {
        case 'flags':
          return {
            [name]: Object.entries(input.flags ?? {}).flatMap(([field, value]) =>
              value === filter.wanted ? [field] : [],
            ),
          }
        case 'marks':
          return { [name]: markNames.filter((mark) => input[keyOfMark(mark)]) }
        case 'values':
          return input.values ?? {}
        case 'days': {
          const days = Object.entries((input as Params)[filter.key] ?? {}) as [string, Days][]
          return Object.fromEntries(days.map(([field, range]) => [field, textOfDays(range)]))
        }
        default:
          return { [name]: (input as Params)[filter.key] ?? null }
      }
    }),
  )
}

/** Returns the query parameter for these days, or null if both ends are open. */
export const textOfDays = ({ from = '', to = '' }: Days) =>
  from === '' && to === '' ? null : `${from}..${to}`
