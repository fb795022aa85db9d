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
