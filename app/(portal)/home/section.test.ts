import { expect, test } from 'vitest'
import { questionsOf } from '#server/insight/question.ts'
import { listHref } from '../deals/list-href.ts'
import { filterOf, readDealsQuery, sortOf } from '../deals/query.ts'

const today = '2026-03-15'
const read = (href: string) => readDealsQuery(new URLSearchParams(href.split('?')[1] ?? ''))

test.each(Object.entries(questionsOf(today)))(
  'the list linked from %s uses the same filter',
  (_, question) => {
    const address = read(listHref(question.filter, question.sort))
    expect(filterOf(address, today)).toEqual(question.filter)
    expect(sortOf(address)).toEqual(question.sort)
  },
)
