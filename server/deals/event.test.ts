import { describe, expect, test } from 'vitest'
import { int64Max, parseJson } from '../values/int64.ts'
import { changesBetween } from './change.ts'
import { renderEvent, withIds } from './event.ts'
import { parseDeal, renderDeal } from './render.ts'

const timestamp = new Date('2026-03-01T17:20:05Z')
const before = renderDeal({ id: int64Max, stage: 'NTP Review' })
const dealJson = renderDeal({ id: int64Max, stage: 'Permit "Submitted"\n\u2028', hasHoa: true, amount: 1e21 })

describe('the body of an event', () => {
  test('for a new deal has exactly the specified keys, and no changes', () => {
    const body = renderEvent({
      type: 'deal.created',
      timestamp,
      sequence: 1,
      dealId: int64Max,
      dealJson,
      changes: [],
    })
    expect(body).toBe(
      `{"type":"deal.created","timestamp":"2026-03-01T17:20:05.000Z","sequence":1,"id":"1","dealId":"9223372036854775807","data":${dealJson},"changes":[]}`,
    )
    expect(Object.keys(JSON.parse(body) as object)).toEqual([
      'type',
      'timestamp',
      'sequence',
      'id',
      'dealId',
      'data',
      'changes',
    ])
  })

  test('for a changed deal lists old and new values as JSON', () => {
    const changes = changesBetween(parseDeal(before), parseDeal(dealJson))
    const body = parseJson(
      renderEvent({
        type: 'deal.updated',
        timestamp,
        sequence: 9_007_199_254_740_991,
        dealId: int64Max,
        dealJson,
        changes,
      }),
    )
    expect(body).toEqual({
      type: 'deal.updated',
      timestamp: '2026-03-01T17:20:05.000Z',
      sequence: 9_007_199_254_740_991,
      id: '9007199254740991',
      dealId: '9223372036854775807',
      data: parseJson(dealJson),
      changes: [
        { field: 'stage', from: 'NTP Review', to: 'Permit "Submitted"\n\u2028' },
        { field: 'amount', from: null, to: 1e21 },
        { field: 'hasHoa', from: false, to: true },
      ],
    })
  })

  test('has the time up to which the CRM was read, if there are sources', () => {
    const asOf = new Date('2026-03-01T17:19:00Z')
    const event = {
      type: 'deal.created' as const,
      timestamp,
      sequence: 1,
      dealId: int64Max,
      dealJson,
      changes: [],
    }
    expect(renderEvent({ ...event, asOf })).toMatch(/,"changes":\[\],"asOf":"2026-03-01T17:19:00\.000Z"\}$/)
    expect(renderEvent({ ...event, asOf: null })).toMatch(/,"changes":\[\]\}$/)
  })

  test('contains the deal byte for byte as partners receive it', () => {
    expect(
      renderEvent({ type: 'deal.updated', timestamp, sequence: 2, dealId: int64Max, dealJson, changes: [] }),
    ).toContain(`"data":${dealJson},`)
  })

  test('of an older version gets the ids that it lacks', () => {
    const event = {
      type: 'deal.updated' as const,
      timestamp,
      sequence: 12,
      dealId: int64Max,
      dealJson,
      changes: [],
    }
    const body = renderEvent(event)
    expect(withIds(body)).toBe(body)
    expect(withIds(body.replace('"id":"12","dealId":"9223372036854775807",', ''))).toBe(body)
  })
})
