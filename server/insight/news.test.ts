import { describe, expect, test } from 'vitest'
import { netChange } from './news.ts'

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
