import { describe, expect, test } from 'vitest'
import { countMaxMs, isCurrent, restMs } from './totals.ts'

describe('totals are current', () => {
  const now = new Date('2026-03-01T12:00:00Z')

  test('while the list has the revision they count', () => {
    expect(isCurrent({ revision: 7, validUntil: null }, 7, now)).toBe(true)
    expect(isCurrent({ revision: 7, validUntil: null }, 8, now)).toBe(false)
    // A backup was restored.
    expect(isCurrent({ revision: 7, validUntil: null }, 6, now)).toBe(false)
  })

  test('until a time that changes them', () => {
    const validUntil = new Date(now.getTime() + 1)
    expect(isCurrent({ revision: 7, validUntil }, 7, now)).toBe(true)
    expect(isCurrent({ revision: 7, validUntil: now }, 7, now)).toBe(false)
    expect(isCurrent({ revision: 7, validUntil }, 8, now)).toBe(false)
  })
})

test('computing them takes at most a tenth of the time', () => {
  expect(restMs(20)).toBe(5000)
  expect(restMs(1300)).toBe(13_000)
  expect(restMs(countMaxMs)).toBe(10 * countMaxMs)
})
