import { describe, expect, test } from 'vitest'
import { countRemovals, isComparisonDue } from './state.ts'

const now = new Date('2026-03-02T12:00:00.000Z')

describe('the removal of deals', () => {
  const isTooMany = (held: number, removed: number) => countRemovals(null, { held, removed, now }).isTooMany

  test('is refused beyond five deals and a fifth of all deals', () => {
    expect(isTooMany(3, 3)).toBe(false)
    expect(isTooMany(20, 5)).toBe(false)
    expect(isTooMany(20, 6)).toBe(true)
    expect(isTooMany(1000, 200)).toBe(false)
    expect(isTooMany(1000, 201)).toBe(true)
    expect(isTooMany(10, 0)).toBe(false)
  })

  test('is counted over a whole day', () => {
    const first = countRemovals(null, { held: 100, removed: 15, now })
    expect(first).toEqual({
      removals: { since: now.toISOString(), held: 100, removed: 15 },
      isTooMany: false,
    })
    const later = new Date('2026-03-02T20:00:00.000Z')
    expect(countRemovals(first.removals, { held: 85, removed: 6, now: later }).isTooMany).toBe(true)
    const nextDay = new Date('2026-03-03T12:00:00.000Z')
    expect(countRemovals(first.removals, { held: 85, removed: 6, now: nextDay }).isTooMany).toBe(false)
  })
})

test('a comparison is due once a night', () => {
  const at = (text: string) => new Date(`2026-03-${text}`)
  const done = at('02T03:30:00').toISOString()
  expect(isComparisonDue(null, at('02T12:00:00'))).toBe(true)
  expect(isComparisonDue(done, at('02T23:59:00'))).toBe(false)
  expect(isComparisonDue(done, at('03T02:59:00'))).toBe(false)
  expect(isComparisonDue(done, at('03T03:00:00'))).toBe(true)
})
