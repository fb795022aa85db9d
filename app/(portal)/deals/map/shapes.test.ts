import { expect, test } from 'vitest'
import { shadeColor, shadeOf, shadeStarts } from './shapes.ts'

test.each([
  [0, []],
  [1, [1]],
  [2, [1]],
  [10, [1, 2, 5]],
  [100, [1, 2, 5, 10, 20]],
  [5000, [1, 5, 20, 100, 500]],
  [1_000_000, [1, 10, 200, 2000, 50_000]],
])('for a maximum of %i deals, the shades begin at %o', (most, starts) =>
  expect(shadeStarts(most)).toEqual(starts),
)

test('a count gets the darkest shade whose threshold it reaches', () => {
  const starts = [1, 5, 20]
  expect([1, 4, 5, 19, 20, 999].map((count) => shadeOf(starts, count))).toEqual([0, 0, 1, 1, 2, 2])
})

test('all shades differ, and the last is the full color', () => {
  expect(new Set([0, 1, 2, 3, 4].map((shade) => shadeColor(shade, 5))).size).toBe(5)
  expect(shadeColor(4, 5)).toContain('100%')
})
