import { expect, test } from 'vitest'
import { partsOf } from './unfinished.ts'

test('a line with an unfinished end is drawn in two parts that meet at the last finished point', () => {
  const points = ['2026-03-02', '2026-03-09', '2026-03-16'].map((from, index) => ({
    from,
    created: index + 5,
  }))
  const { finished, unfinished } = partsOf('created', points)
  expect(points.map(finished)).toEqual([5, 6, null])
  expect(points.map(unfinished)).toEqual([null, 6, 7])
})
