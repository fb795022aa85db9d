import { expect, test } from 'vitest'
import { dealFields } from '../deals/deal.ts'
import { DealEvent } from '../deals/wire.ts'
import { renderTest } from './send-test.ts'

test.each([
  ['deal.created', 0],
  ['deal.updated', 1],
] as const)('a test %s has the documented format, no deal, and no place in the sequence', (type, changes) => {
  const event = JSON.parse(renderTest(type, new Date('2026-03-01T17:20:05Z'))) as Record<string, object>
  // A test event is not related to any source.
  expect(Object.keys(event)).toEqual(
    Object.keys(DealEvent.shape).filter((key) => key !== 'asOf' && key !== 'filter'),
  )
  expect(Object.keys(event['data']!)).toEqual(Object.keys(dealFields))
  expect(event).toMatchObject({
    type,
    timestamp: '2026-03-01T17:20:05.000Z',
    sequence: 0,
    data: { id: 0 },
    test: true,
  })
  expect(event['changes']).toHaveLength(changes)
})
