import { expect, test } from 'vitest'
import { int64Max } from '../values/int64.ts'
import { renderEvent, withIds } from './event.ts'
import { renderDeal } from './render.ts'

const event: Parameters<typeof renderEvent>[0] = {
  type: 'deal.updated',
  timestamp: new Date('2026-03-01T17:20:05Z'),
  sequence: 12,
  dealId: int64Max,
  dealJson: renderDeal({ id: int64Max, stage: 'Permit "Submitted"\n\u2028' }),
  changes: [],
}
const body = renderEvent(event)

test('the body has the time up to which the CRM was read, if there are sources', () => {
  const asOf = new Date('2026-03-01T17:19:00Z')
  expect(renderEvent({ ...event, asOf })).toMatch(/,"changes":\[\],"asOf":"2026-03-01T17:19:00\.000Z"\}$/)
  expect(renderEvent({ ...event, asOf: null })).toBe(body)
})

test('the body of an older version is completed with the missing ids', () => {
  expect(withIds(body)).toBe(body)
  expect(withIds(body.replace('"id":"12","dealId":"9223372036854775807",', ''))).toBe(body)
})
