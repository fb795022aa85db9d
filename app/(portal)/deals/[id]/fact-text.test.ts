import { expect, test } from 'vitest'
import { formatIn } from '#app/ui/format.ts'
import { utc } from '#server/protocol/zone.ts'
import { batteryText, hoaApprovalText } from './fact-text.ts'

test.each([
  [true, 'Powerwall 3', '2', '2 × Powerwall 3'],
  [null, 'Powerwall 3', null, 'Powerwall 3'],
  [true, null, null, 'Yes'],
  [false, null, null, 'None'],
  // Missing is not "none".
  [null, null, null, null],
  [null, '', '0', null],
])('with %j, %j and %j the battery is %j', (hasBattery, battery, numberOfBatteries, text) => {
  expect(batteryText({ hasBattery, battery, numberOfBatteries })).toBe(text)
})

test.each([
  [true, '2026-03-01T00:00:00.000Z', 'Approved Mar 1'],
  [null, '2026-03-20T00:00:00.000Z', 'To be approved Mar 20'],
  [true, null, 'No approval recorded'],
  [false, null, null],
  [null, null, null],
])('with %j and %j the approval is %j', (hasHoa, hoaApprovedDate, text) => {
  const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
  expect(hoaApprovalText({ hasHoa, hoaApprovedDate }, nowMs, formatIn(utc))).toBe(text)
})
