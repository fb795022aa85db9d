import { expect, test } from 'vitest'
import { questionFilter, questionsOf } from '#server/insight/question.ts'
import { filterOf, readDealsQuery, sortOf } from '../deals/query.ts'
import { listHref } from './list-href.ts'

const today = '2026-03-15'
const stages = [
  { stage: 'A&B', kind: 'open' },
  { stage: '', kind: 'open' },
  { stage: 'Complete', kind: 'won' },
] as const
const read = (href: string) => readDealsQuery(new URLSearchParams(href.split('?')[1] ?? ''))

test.each(Object.entries(questionsOf(today)))('the list behind %s asks for the same', (_, question) => {
  const filter = questionFilter(question, stages)
  const address = read(listHref(filter, question.sort))
  expect(filterOf(address, today)).toEqual(filter)
  expect(sortOf(address)).toEqual(question.sort)
})

test.each([
  {},
  { stages: [''] },
  { isUndated: true as const },
  { inStep: { unknown: 0 } },
  { stages: ['"><b>', 'a,b~c'] },
  { news: { new: { from: '2026-03-02', to: '2026-03-08' }, moved: { from: '2026-03-02' } } },
  { dates: { createDate: { from: '2026-03-02', to: '2026-03-08' } } },
])('the list behind %j asks for it', (filter) => {
  expect(filterOf(read(listHref(filter)), today)).toEqual(filter)
})
