import { expect, test } from 'vitest'
import { type Zone, utc } from '../protocol/zone.ts'
import { makeStageOf } from '../stages/stage.ts'
import type { DealGroup } from './group.ts'
import { lateBy, latenessFields, latenessOf, ranked } from './lateness.ts'
import { type AttentionName, type QuestionName, questionsOf } from './question.ts'

const questions = questionsOf('2026-03-31')
const names = Object.keys(questions) as QuestionName[]
const stageOf = makeStageOf([])

/** Returns a group of one question's deals, with its date and the dollars times days since. */
function groupOf(
  name: AttentionName,
  given: Partial<DealGroup>,
  earliest: string | null,
  dollarDays: number,
) {
  const field = questions[name].sort.field
  const late = latenessFields.map((each) =>
    each === field && earliest !== null
      ? { earliestMs: Date.parse(earliest), dollarDays }
      : { earliestMs: null, dollarDays: 0 },
  )
  const weeks = { created: null, installed: null, funded: null }
  return { stage: 'Permit', count: 1, amount: 100, ...weeks, asked: 1 << names.indexOf(name), late, ...given }
}

const days = (name: AttentionName, groups: ReturnType<typeof groupOf>[], zone: Zone = utc) =>
  lateBy(name, latenessOf(groups), stageOf, '2026-03-31', zone)

test('a planned day is late from the next day; others after two weeks', () => {
  const planned = groupOf('lateInstall', {}, '2026-03-29T00:00:00.000Z', 200)
  expect(days('lateInstall', [planned])).toEqual({ days: 2, daysLate: 2, dollarDays: 200 })
  const installed = groupOf('unfunded', {}, '2026-03-01T00:00:00.000Z', 3000)
  expect(days('unfunded', [installed])).toEqual({ days: 30, daysLate: 16, dollarDays: 1600 })
  expect(days('unfunded', [planned])).toEqual({ days: null, daysLate: null, dollarDays: 0 })
})

test('uses the first of all deals and the dollars of all; closed stages do not count', () => {
  const groups = [
    groupOf('quiet', {}, '2026-02-20T12:00:00.000Z', 3900),
    groupOf('quiet', { stage: 'Design' }, '2026-02-10T12:00:00.000Z', 4900),
    groupOf('quiet', { stage: 'Cancelled' }, '2020-02-10T12:00:00.000Z', 99),
    groupOf('quiet', { stage: 'Survey' }, null, 0),
  ]
  expect(days('quiet', groups)).toEqual({ days: 49, daysLate: 19, dollarDays: 2800 })
})

test('days are in the zone; dates without a time are plain days', () => {
  const zone = 'America/Phoenix' as Zone
  expect(days('quiet', [groupOf('quiet', {}, '2026-03-30T03:00:00.000Z', 1)], zone).days).toBe(2)
  expect(days('quiet', [groupOf('quiet', {}, '2026-03-30T00:00:00.000Z', 1)], zone).days).toBe(1)
})

test('sorts by dollars times days, then in the listed order', () => {
  const all = [1, 5, 0, 5].map((dollarDays, place) => ({ days: 1, daysLate: 1, dollarDays, place }))
  expect(ranked(all).map(({ place }) => place)).toEqual([1, 3, 0, 2])
})
