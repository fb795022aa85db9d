import { expect, test } from 'vitest'
import { isClosed } from './stage.ts'

test.each([
  'Cancelled',
  'canceled',
  'Customer Cancel',
  'Cancellation',
  'Lost',
  'Closed Lost',
  'Closed Won',
  'CLOSED',
  'Dead',
  'Withdrawn',
  'Archived',
  'Funded',
  'M2 Funded',
  'Complete',
  'Completed',
  '12. Complete',
  '✅ Complete',
  'Complete - PTO granted',
  'Project Complete',
  'Job completed',
  'Service Complete',
  'Done',
])('%s ends a deal', (stage) => {
  expect(isClosed(stage)).toBe(true)
})

test.each([
  null,
  '',
  'Site Survey',
  'Install Complete',
  'CAD Completed',
  'Permit Submitted',
  'Permit Rejected',
  'On Hold',
  'Funding',
  'Awaiting PTO',
  'Awaiting Cancellation',
  'Pending cancellation',
  'Cancellation requested',
  'Not funded',
  'Ready to be funded',
  'Partially funded',
  'Incomplete',
  'Complete paperwork',
  'Lostine County Permit',
  'Enclosed Patio Review',
])('%s does not', (stage) => {
  expect(isClosed(stage)).toBe(false)
})
