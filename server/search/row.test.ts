import { expect, test } from 'vitest'
import { type Deal, dealFields } from '../deals/deal.ts'
import { classifyStage } from '../stages/stage.ts'
import { utc } from '../values/zone.ts'
import { derivesOf, ownFields, rowJson } from './row.ts'

const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const stageOf = (name: string | null | undefined) => ({
  name: name ?? '',
  order: 0,
  ...classifyStage(name ?? ''),
})
const deal: Deal = {
  ...(Object.fromEntries(
    Object.entries(dealFields).map(([name, { kind }]) => [name, kind === 'flag' ? false : null]),
  ) as unknown as Deal),
  id: 9_007_199_254_740_993n,
  dealname: 'Vale "Robin"',
  stage: 'Permit Submitted',
  permitRequired: true,
  expectedPermitDeliveryDate: '2026-03-12T00:00:00.000Z',
}

test('a row has the id and the requested fields, once each, with exact ids', () => {
  const fields = ownFields(['dealname', 'id', 'dealname', 'milestone', 'partner', 'held'])
  expect(fields).toEqual(['id', 'dealname'])
  expect(rowJson(deal, fields, {}, {})).toBe('{"id":9007199254740993,"dealname":"Vale \\"Robin\\""}')
})

test('derived fields depend on the kind of the stage and are returned only on request', () => {
  const asked = ['milestone', 'held'] as const
  const derive = derivesOf(asked, stageOf, { nowMs, zone: utc })
  const rowOf = (stage: string) =>
    JSON.parse(
      rowJson({ ...deal, stage }, [], derive({ ...deal, stage }, null), {
        partner: new Map([[deal.id, 'Sunline']]),
      }),
    )
  expect(rowOf('Permit Submitted')).toEqual({
    milestone: { kind: 'late', label: 'Permit', time: '2026-03-12T00:00:00.000Z', daysUntil: -3 },
    held: expect.objectContaining({ gate: 'install', hold: 'permit' }),
    partner: 'Sunline',
  })
  expect(rowOf('Cancelled')).toMatchObject({ held: null })
  const other = rowJson(
    deal,
    [],
    {},
    {
      partner: new Map(),
    },
  )
  expect(other).toBe('{"partner":null}')
})

test('a flag without a source is null in a row, but false in the interface', () => {
  const { permitRequired: _, ...rest } = deal
  const fields = ownFields(['permitRequired', 'hasHoa'])
  const row = rowJson({ ...rest, permitRequired: null }, fields, {}, {})
  expect(row).toBe('{"id":9007199254740993,"permitRequired":null,"hasHoa":false}')
})
