import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { classifyStage, isMoving } from '../../stages/stage.ts'
import { utc } from '../../values/zone.ts'
import { nextStepOf } from './next-step.ts'
import { timelineOf } from './timeline.ts'
import { waitsFor } from './waits-for.ts'

const now = new Date('2026-03-15T12:00:00.000Z')
const deals = demoPartners.flatMap((partner) => [
  ...demoDeals({ partner, count: 400, firstId: partner.firstId, now }),
])
const claims = deals.map((deal) => {
  const stage = classifyStage(deal.stage ?? '')
  const timeline = timelineOf(deal, stage, now.getTime(), utc)
  return {
    deal,
    kind: stage.kind,
    timeline,
    waiting: waitsFor(stage.kind, timeline),
    next: nextStepOf(deal, stage, now.getTime(), utc),
  }
})

describe('each demo deal', () => {
  test('waits for a step exactly if its stage is open', () => {
    expect(claims.filter(({ kind, waiting }) => isMoving(kind) !== waiting.steps.length > 0)).toEqual([])
  })

  test('in the stage Awaiting PTO waits for M2 until approved, and then for the stage itself', () => {
    const awaiting = claims.filter(({ deal }) => deal.stage === 'Awaiting PTO')
    expect(new Set(awaiting.map(({ deal }) => deal.m2Approved))).toEqual(new Set([true, false]))
    for (const { deal, waiting } of awaiting)
      expect(waiting.steps.map(({ label }) => label)).toEqual([
        deal.m2Approved ? 'Awaiting PTO' : 'M2 approval',
      ])
  })

  test('is late in lists exactly if it is late on its page, and for one of the same steps', () => {
    expect(claims.some(({ next }) => next?.kind === 'late')).toBe(true)
    for (const { deal, timeline, next, waiting, kind } of claims) {
      const late = timeline.filter(({ state }) => state === 'late')
      expect(next?.kind === 'late', String(deal.id)).toBe(late.length > 0)
      if (next?.kind === 'late')
        expect(late.map(({ label, daysUntil }) => `${label} ${-daysUntil!}`)).toContain(
          `${next.label} ${-next.daysUntil}`,
        )
      if (isMoving(kind)) expect(waiting.urgency === 'late').toBe(late.length > 0)
    }
  })
})
