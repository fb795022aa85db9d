import { expect, test } from 'vitest'
import type { KnownDeal } from './deal.ts'
import { observedOf, withObserved } from './observed.ts'

const day = (number: number) => `2026-03-${String(number).padStart(2, '0')}T08:00:00.000Z`
const entry = (at: number, ...fields: string[]) => ({
  type: fields.length === 0 ? ('deal.created' as const) : ('deal.updated' as const),
  timestamp: day(at),
  fields,
})
const timesOf = (own: Partial<KnownDeal>, ...history: ReturnType<typeof entry>[]) => {
  const { timeInCurrentStage, lastModified, seenAt } = withObserved({
    ...({ timeInCurrentStage: null, lastModified: null, ...own } as KnownDeal),
    observed: observedOf(history),
  })
  return { timeInCurrentStage, lastModified, seenAt }
}

test('a move that the portal saw dates the stage if the CRM does not', () => {
  expect(timesOf({}, entry(9, 'amount'), entry(5, 'stage'), entry(1))).toEqual({
    timeInCurrentStage: day(5),
    lastModified: day(9),
    seenAt: day(5),
  })
  expect(
    timesOf({ timeInCurrentStage: day(1), lastModified: day(2) }, entry(5, 'stage'), entry(1)),
  ).toMatchObject({
    timeInCurrentStage: day(5),
    lastModified: day(5),
  })
})

test('the time of the CRM counts if it moved with the stage, or is later', () => {
  const own = { timeInCurrentStage: day(4), lastModified: day(4) }
  const withField = entry(5, 'stage', 'lastModified', 'timeInCurrentStage')
  expect(timesOf(own, withField, entry(1))).toMatchObject(own)
  const later = { timeInCurrentStage: day(6), lastModified: day(6) }
  expect(timesOf(later, entry(5, 'stage'), entry(1))).toMatchObject(later)
})

test('before the first move, a stage has lasted at least since the deal was added', () => {
  expect(timesOf({}, entry(3, 'amount'), entry(1))).toEqual({
    timeInCurrentStage: null,
    lastModified: day(3),
    seenAt: day(1),
  })
  expect(timesOf({})).toEqual({ timeInCurrentStage: null, lastModified: null, seenAt: null })
})
