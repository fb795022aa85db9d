import { describe, expect, test } from 'vitest'
import type { Step } from '#server/deals/milestones/timeline.ts'
import { nextDate } from './next-date.ts'

const step = (label: string, state: Step['state'], plannedFor: string | null): Step => ({
  name: 'install',
  label,
  state,
  dates: [],
  lengthDays: null,
  gap: null,
  plannedFor,
  daysUntil: null,
  result: null,
  isAwaited: false,
})

describe('the next date of a deal', () => {
  test('returns the earliest planned date, regardless of step order', () => {
    const timeline = [
      step('Permit', 'done', '2026-03-01T00:00:00Z'),
      step('Re-install', 'planned', '2026-05-01T00:00:00Z'),
      step('Install', 'planned', '2026-04-08T00:00:00Z'),
    ]
    expect(nextDate(timeline)).toEqual({ label: 'Install planned', time: '2026-04-08T00:00:00Z' })
  })

  test('returns null if nothing is planned, or all planned steps are done or late', () => {
    expect(nextDate([step('Permit', 'late', '2026-03-01T00:00:00Z'), step('Install', 'toDo', null)])).toBe(
      null,
    )
    expect(nextDate([])).toBe(null)
  })
})
