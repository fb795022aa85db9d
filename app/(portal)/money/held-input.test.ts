import { expect, test } from 'vitest'
import { type KnownDeal, dealFields } from '#server/deals/deal.ts'
import { evidenceOf } from '#server/deals/milestones/evidence.ts'
import { lastStepOf } from '#server/deals/milestones/flow.ts'
import { classifyStage } from '#server/stages/stage.ts'
import { unpaidFilter } from './held-input.ts'

const blank = Object.fromEntries(Object.keys(dealFields).map((name) => [name, null])) as unknown as KnownDeal

test.each([
  ['Install Scheduled', false],
  ['Installed', true],
  ['Funding', true],
  // M2 may be approved or not.
  ['Awaiting PTO', true],
])('a deal of which nothing but the stage %s is known is built: %j', (stage, isBuilt) => {
  const evidence = evidenceOf({ ...blank, stage }, classifyStage(stage), Date.parse('2026-03-15'))
  expect(unpaidFilter.reached.includes(lastStepOf(evidence))).toBe(isBuilt)
})
