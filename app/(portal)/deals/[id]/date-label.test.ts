import { expect, test } from 'vitest'
import { type Deal, dealFields } from '#server/deals/deal.ts'
import { timelineOf } from '#server/deals/milestones/timeline.ts'
import { utc } from '#server/protocol/zone.ts'
import { dateLabel } from './date-label.ts'

test('labels a future creation date as created, and a future install as to be completed', () => {
  const day = '2026-04-01T12:00:00.000Z'
  const empty = Object.fromEntries(Object.keys(dealFields).map((field) => [field, null]))
  const deal = { ...empty, createDate: day, installComplete: day } as unknown as Deal
  const steps = timelineOf(
    deal,
    { kind: 'open', place: 'install' },
    Date.parse('2026-03-01T12:00:00.000Z'),
    utc,
  )
  const labelOf = (name: string) => {
    const step = steps.find((each) => each.name === name)!
    return dateLabel(step.name, step.dates[0]!)
  }
  expect(labelOf('created')).toBe('Created date is in the future:')
  expect(labelOf('install')).toBe('To be completed')
})
