import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { type KnownDeal, dealFields } from '#server/deals/deal.ts'
import { timelineOf } from '#server/deals/timeline.ts'
import { classifyStage } from '#server/stages/stage.ts'
import { utc } from '#server/values/zone.ts'
import { batteryText, hasBatteryText, hasHoaText, hoaApprovalText, requirementText } from './fact-text.ts'

test.each([
  [true, 'Powerwall 3', '2', '2 × Powerwall 3'],
  [null, 'Powerwall 3', null, 'Powerwall 3'],
  [true, null, null, 'Yes'],
  [false, null, null, 'None'],
  // Unknown is not "None".
  [null, null, null, null],
  [null, '', '0', null],
])(
  'for hasBattery %j, battery %j and numberOfBatteries %j, shows the battery as %j',
  (hasBattery, battery, numberOfBatteries, text) => {
    expect(batteryText({ hasBattery, battery, numberOfBatteries })).toBe(text)
  },
)

test.each([
  [true, '2026-03-01T00:00:00.000Z', 'Approved Mar 1'],
  [null, '2026-03-20T00:00:00.000Z', 'To be approved Mar 20'],
  [true, null, 'No approval recorded'],
  [false, null, null],
  [null, null, null],
])('for hasHoa %j and hoaApprovedDate %j, shows the HOA approval as %j', (hasHoa, hoaApprovedDate, text) => {
  const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
  expect(hoaApprovalText({ hasHoa, hoaApprovedDate }, nowMs, formatIn(utc))).toBe(text)
})

test.each<[Partial<KnownDeal>, string, string]>([
  [{}, 'Not known', 'Not known'],
  [{ permitRequired: false, inspectionRequired: true }, 'Not required', 'Required'],
  // A permit that was requested is required, even if the flag is missing.
  [
    { permitSubmitted: '2026-03-01T00:00:00.000Z', inspectionRequested: '2026-03-09T00:00:00.000Z' },
    'Required',
    'Required',
  ],
  [{ stage: 'Permit Submitted' }, 'Required', 'Not known'],
  [{ stage: 'City Inspection' }, 'Not known', 'Required'],
])('for %j, shows the permit as %s and the inspection as %s', (fields, permit, inspection) => {
  const empty = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null]))
  const deal = { ...empty, ...fields } as unknown as KnownDeal
  const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
  const timeline = timelineOf(deal, classifyStage(deal.stage ?? ''), nowMs, utc)
  expect([requirementText(deal, 'permit', timeline), requirementText(deal, 'inspection', timeline)]).toEqual([
    permit,
    inspection,
  ])
})

test('a yes/no fact follows its flag, or the recorded values if the flag is missing', () => {
  const hoa = { hasHoa: null, hoaName: null, hoaApprovedDate: null }
  expect(hasHoaText(hoa)).toBe('Not known')
  expect(hasHoaText({ ...hoa, hasHoa: true })).toBe('Yes')
  expect(hasHoaText({ ...hoa, hoaName: 'Encanto Village' })).toBe('Yes')
  expect(hasHoaText({ ...hoa, hoaApprovedDate: '2026-03-01T00:00:00.000Z' })).toBe('Yes')
  expect(hasBatteryText({ hasBattery: null, battery: 'Powerwall 3' })).toBe('Yes')
  expect(hasBatteryText({ hasBattery: false, battery: 'Powerwall 3' })).toBe('None')
  expect(hasBatteryText({ hasBattery: null, battery: '' })).toBe('Not known')
})
