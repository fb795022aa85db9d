import { expect, test } from 'vitest'
import { isServiceTicket } from './service.ts'

test.each([
  ['Service', true],
  ['Customer Service', true],
  ['service tickets', true],
  ['Warranty & Repairs', true],
  ['O&M', true],
  ['Post-Install Service', true],
  ['Residential Solar', false],
  ['Service Upgrade', false],
  ['Full Service Solar', false],
  ['Tickets', false],
  ['', false],
  [null, false],
])('the pipeline %j is for service tickets: %s', (pipeline, isService) => {
  expect(isServiceTicket({ pipeline, stage: 'Scheduled' })).toBe(isService)
})

test.each([
  [null, 'Service Complete', true],
  ['', 'service requested', true],
  [null, 'Complete', false],
  [null, 'Service Upgrade', false],
  [null, null, false],
  ['Residential', 'Service Scheduled', false],
])('in the pipeline %j, the stage %j is for service tickets: %s', (pipeline, stage, isService) => {
  expect(isServiceTicket({ pipeline, stage })).toBe(isService)
})
