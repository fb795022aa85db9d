import { describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { utc } from '../../protocol/zone.ts'
import { classifyStage, isClosed } from '../../stages/stage.ts'
import { nearestMilestone } from './nearest.ts'
import { countSteps, timelineOf } from './timeline.ts'
import { waitsFor } from './waits-for.ts'

const now = new Date('2026-03-15T12:00:00.000Z')
const deals = demoPartners.flatMap((partner) => [
  ...demoDeals({ partner, count: 400, firstId: partner.firstId, now }),
])
const told = deals.map((deal) => {
  const { kind } = classifyStage(deal.stage ?? '')
  const timeline = timelineOf(deal, kind, now.getTime(), utc)
  return {
    deal,
    kind,
    timeline,
    waiting: waitsFor(kind, timeline),
    nearest: nearestMilestone(deal, kind, now.getTime(), utc),
    steps: countSteps(timeline),
  }
})

describe('each deal of the demonstration', () => {
  test('that is open waits for a step, and one that is closed for none', () => {
    expect(
      told.filter(
        ({ kind, waiting }) => isClosed(kind) !== (waiting.urgency === 'over' && waiting.steps.length === 0),
      ),
    ).toEqual([])
  })

  test('has as many steps left as it needs exactly when it waits for none', () => {
    expect(
      told.filter(
        ({ kind, waiting, steps }) =>
          !isClosed(kind) && waiting.steps.length > 0 !== steps.done < steps.needed,
      ),
    ).toEqual([])
  })

  test('that awaits PTO waits for its stage, and has M2 approved', () => {
    const awaiting = told.filter(({ deal }) => deal.stage === 'Awaiting PTO')
    expect(awaiting.length).toBeGreaterThan(0)
    for (const { deal, waiting } of awaiting) {
      expect(waiting.steps.map(({ label }) => label)).toEqual(['Awaiting PTO'])
      expect(deal.m2Approved).toBe(true)
    }
  })

  test('that is installed and neither submitted for funding nor approved waits for that', () => {
    const unpaid = told.filter(
      ({ deal, kind }) => !isClosed(kind) && deal.installCompleted && !deal.m2Approved,
    )
    expect(unpaid.some(({ deal }) => deal.fundingSubmitted === null)).toBe(true)
    expect(unpaid.some(({ deal }) => deal.fundingSubmitted !== null)).toBe(true)
    for (const { deal, timeline, waiting } of unpaid) {
      expect(waiting.steps.length, String(deal.id)).toBeGreaterThan(0)
      expect(timeline.some(({ name, state }) => name === 'm2' && state !== 'done')).toBe(true)
    }
  })

  test('is late in a list exactly when it is late on its page, for a step that is late there', () => {
    expect(told.some(({ nearest }) => nearest?.kind === 'late')).toBe(true)
    for (const { deal, timeline, nearest, waiting, kind } of told) {
      const late = timeline.filter(({ state }) => state === 'late')
      expect(nearest?.kind === 'late', String(deal.id)).toBe(late.length > 0)
      if (nearest?.kind === 'late')
        expect(late.map(({ label, daysUntil }) => `${label} ${-daysUntil!}`)).toContain(
          `${nearest.label} ${nearest.daysLate}`,
        )
      if (kind === 'open') expect(waiting.urgency === 'late').toBe(late.length > 0)
    }
  })
})
