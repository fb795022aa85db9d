import { expect, test } from 'vitest'
import { utc } from '../../protocol/zone.ts'
import { type Deal, dealFields } from '../deal.ts'
import { ownFields, rowJson, rowRules } from './row.ts'

const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const deal: Deal = {
  ...(Object.fromEntries(
    Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
  ) as unknown as Deal),
  id: 9_007_199_254_740_993n,
  dealname: 'Vale "Robin"',
  stage: 'Install',
  permitRequired: true,
  expectedPermitDeliveryDate: '2026-03-12T00:00:00.000Z',
}

test('a row has the id and the fields asked for, once each, with exact ids', () => {
  const fields = ownFields(['dealname', 'id', 'dealname', 'milestone', 'partner', 'held'])
  expect(fields).toEqual(['id', 'dealname'])
  const rules = rowRules(['dealname'], () => 'open', nowMs, utc)
  expect(rowJson(deal, fields, rules, null)).toBe('{"id":9007199254740993,"dealname":"Vale \\"Robin\\""}')
})

test('what is derived goes by the kind of the stage, and is told only when it is asked for', () => {
  const asked = ['milestone', 'held'] as const
  const rowOf = (kind: 'open' | 'lost') =>
    JSON.parse(
      rowJson(
        deal,
        [],
        rowRules(asked, () => kind, nowMs, utc),
        new Map([[deal.id, 'Sunline']]),
      ),
    )
  expect(rowOf('open')).toEqual({
    milestone: { kind: 'late', label: 'Permit', time: '2026-03-12T00:00:00.000Z', daysLate: 3 },
    held: expect.objectContaining({ gate: 'm1', hold: 'survey' }),
    partner: 'Sunline',
  })
  expect(rowOf('lost')).toMatchObject({ held: null })
  const other = rowJson(
    deal,
    [],
    rowRules([], () => 'open', nowMs, utc),
    new Map(),
  )
  expect(other).toBe('{"partner":null}')
})
