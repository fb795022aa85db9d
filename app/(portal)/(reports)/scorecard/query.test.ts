import { expect, test } from 'vitest'
import type { RepFigures } from '#server/insight/reports-wire.ts'
import { sortReps } from './query.ts'

const rep = (name: string, open: number, median: number | null, isMine = false) =>
  ({ name, isMine, open: { count: open }, install: { median } }) as RepFigures
const reps = [rep('Ana', 1, null), rep('Ben', 9, 40), rep('Cy', 5, 30), rep('Me', 0, null, true)]
const names = (...by: [sort: 'open' | 'install', isAscending: boolean]) =>
  sortReps(reps, ...by).map(({ name }) => name)

test('lists the viewer first, then other reps in the requested order; reps without a value are always last', () => {
  expect(names('open', false)).toEqual(['Me', 'Ben', 'Cy', 'Ana'])
  expect(names('open', true)).toEqual(['Me', 'Ana', 'Cy', 'Ben'])
  expect(names('install', false)).toEqual(['Me', 'Ben', 'Cy', 'Ana'])
  expect(names('install', true)).toEqual(['Me', 'Cy', 'Ben', 'Ana'])
})
