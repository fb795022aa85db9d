import { describe, expect, test } from 'vitest'
import { type WalkedEvent, netChange, newsAmong, walkLength } from './news.ts'

const walked = (sequence: number, dealId: string, more: Partial<WalkedEvent> = {}): WalkedEvent => ({
  sequence,
  dealId,
  type: 'deal.updated',
  isRecent: true,
  isThere: true,
  ...more,
})

describe('news', () => {
  test('are the deals of what happened since the visit, each once, the newest first', () => {
    const events = [
      walked(9, 'b'),
      walked(8, 'a'),
      walked(7, 'b', { type: 'deal.created' }),
      walked(6, 'c', { isRecent: false }),
      walked(5, 'd'),
    ]
    expect(newsAmong(events)).toEqual({
      after: 6,
      isCut: false,
      deals: [
        { dealId: 'b', isNew: true },
        { dealId: 'a', isNew: false },
      ],
    })
  })

  test('leave out what the partner has no more', () => {
    expect(newsAmong([walked(2, 'a', { isThere: false }), walked(1, 'b')])).toEqual({
      after: 0,
      isCut: false,
      deals: [{ dealId: 'b', isNew: false }],
    })
  })

  test('are none when nothing happened, ever or since', () => {
    expect(newsAmong([])).toEqual({ after: 0, isCut: false, deals: [] })
    expect(newsAmong([walked(5, 'a', { isRecent: false })])).toEqual({ after: 5, isCut: false, deals: [] })
  })

  test('are cut where the walk ends before the visit', () => {
    const events = Array.from({ length: walkLength }, (_, index) => walked(2000 - index, 'a'))
    expect(newsAmong(events)).toMatchObject({ after: 2000 - walkLength, isCut: true })
    expect(newsAmong(events.with(-1, walked(1501, 'a', { isRecent: false })))).toMatchObject({
      after: 1501,
      isCut: false,
    })
  })
})

describe('several changes', () => {
  test('come to one from the first to the last', () => {
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

  test('come to nothing when all is as it was', () => {
    expect(
      netChange([
        { field: 'stage', from: 'A', to: 'B' },
        { field: 'stage', from: 'B', to: 'A' },
      ]),
    ).toEqual({ stage: null, fields: [] })
    expect(netChange([])).toEqual({ stage: null, fields: [] })
  })
})
