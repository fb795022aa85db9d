import { describe, expect, test } from 'vitest'
import { byRep, netChange } from './news.ts'

describe('several changes', () => {
  test('combine into one from the first to the last', () => {
    expect(
      netChange([
        { field: 'stage', from: 'Engineering', to: 'NTP Review' },
        { field: 'stageId', from: 'a', to: 'b' },
        { field: 'amount', from: 1, to: 2 },
        { field: 'stage', from: 'NTP Review', to: 'Permit Preparation' },
        { field: 'lastModified', from: null, to: 'x' },
      ]),
    ).toEqual({ stage: { from: 'Engineering', to: 'Permit Preparation' }, fields: ['amount'] })
  })

  test('cancel out if everything is as before', () => {
    expect(
      netChange([
        { field: 'stage', from: 'A', to: 'B' },
        { field: 'stage', from: 'B', to: 'A' },
      ]),
    ).toEqual({ stage: null, fields: [] })
    expect(netChange([])).toEqual({ stage: null, fields: [] })
  })
})

test('moves precede other news, grouped by rep', () => {
  const moved = { from: 'A', to: 'B' }
  const line = (id: number, rep: string | null, stage: typeof moved | null, isNew = false) => ({
    id,
    rep,
    stage,
    isNew,
  })
  const lines = [
    line(1, 'Ana', null),
    line(2, 'Ben', moved),
    line(3, null, moved, true),
    line(4, 'Cy', moved),
    line(5, 'Ben', moved),
    line(6, 'Ana', null),
  ]
  expect(byRep(lines).map(({ id }) => id)).toEqual([2, 5, 4, 1, 6, 3])
})
