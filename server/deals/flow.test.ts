import { describe, expect, test } from 'vitest'
import { type StageKind, classifyStage } from '../stages/stage.ts'
import { type Zone, utc } from '../values/zone.ts'
import type { Deal } from './deal.ts'
import { evidenceOf } from './evidence.ts'
import { type FlowStep, daysTaken, lastStepOf, stepNow } from './flow.ts'
import { parseDeal, renderDeal } from './render.ts'

const pacific = 'America/Los_Angeles' as Zone
const nowMs = Date.parse('2026-03-15T12:00:00.000Z')
const dealOf = (fields: Partial<Deal>): Deal => parseDeal(renderDeal({ id: 1n, ...fields }))

const took = (fields: Partial<Deal>, step: FlowStep = 'survey', zone = utc, kind: StageKind = 'open') =>
  daysTaken(dealOf(fields), kind, step, nowMs, zone)

describe('the duration of a step', () => {
  const createDate = '2026-03-01T23:30:00.000Z'

  test('counts calendar days', () => {
    expect(took({ createDate, siteSurveyCompleted: '2026-03-02T00:10:00.000Z' })).toBe(1)
    expect(took({ createDate, siteSurveyCompleted: '2026-03-02T00:10:00.000Z' }, 'survey', pacific)).toBe(0)
    expect(took({ createDate, siteSurveyCompleted: '2026-03-01T23:40:00.000Z' })).toBe(0)
  })

  test('is unaffected by daylight saving time, which begins on March 8', () => {
    const fields = { createDate: '2026-03-07T08:30:00.000Z', siteSurveyCompleted: '2026-03-09T07:30:00.000Z' }
    // From 00:30 on March 7 to 00:30 on March 9 is only 47 hours.
    expect(took(fields, 'survey', pacific)).toBe(2)
  })

  test('treats a date without a time as that day', () => {
    const fields = { createDate, siteSurveyCompleted: '2026-03-02T00:00:00.000Z' }
    expect([took(fields), took(fields, 'survey', pacific)]).toEqual([1, 1])
  })

  test('is unknown if a date is missing, out of order, or in the future', () => {
    expect(took({ createDate })).toBeNull()
    expect(took({ siteSurveyCompleted: '2026-03-02T00:00:00.000Z' })).toBeNull()
    expect(took({ createDate, siteSurveyCompleted: '2026-02-27T10:00:00.000Z' })).toBeNull()
    expect(took({ createDate, siteSurveyCompleted: '2026-03-16T00:00:00.000Z' })).toBeNull()
  })

  test('is counted from NTP for an install that needs no permit', () => {
    const fields = { ntpApproved: '2026-02-01T10:00:00.000Z', installComplete: '2026-02-11T10:00:00.000Z' }
    expect(took(fields, 'install')).toBe(10)
    expect(took({ ...fields, permitRequired: true }, 'install')).toBeNull()
    expect(took({ ...fields, permitReceived: '2026-02-09T10:00:00.000Z' }, 'install')).toBe(2)
  })

  test('ends, for a payment, when the deal is won', () => {
    const fields = {
      fundingSubmitted: '2026-02-01T10:00:00.000Z',
      timeInCurrentStage: '2026-02-06T10:00:00.000Z',
    }
    expect(took(fields, 'payment', utc, 'won')).toBe(5)
    expect(took(fields, 'payment')).toBeNull()
    expect(took(fields, 'payment', utc, 'lost')).toBeNull()
  })
})

describe('the current step of a deal', () => {
  const now = (stage: string, fields: Partial<Deal> = {}) => {
    const deal = dealOf({ stage, ...fields })
    const meaning = classifyStage(stage)
    const at = stepNow(deal, meaning.kind, evidenceOf(deal, meaning, nowMs), nowMs, utc)
    return at === null ? null : `${at.step} ${at.days}`
  }
  const createDate = '2026-03-01T10:00:00.000Z'
  const day = '2026-03-05T10:00:00.000Z'

  test('is the awaited step, and begins at the end of the previous step', () => {
    expect(now('Site Survey', { createDate })).toBe('survey 14')
    expect(now('CAD Design', { createDate, siteSurveyCompleted: day })).toBe('cad 10')
    expect(now('Permit Preparation', { ntpApproved: day })).toBe('permitSubmission 10')
    expect(now('Install Scheduled', { ntpApproved: day, permitRequired: false })).toBe('install 10')
    expect(now('Permit Submitted', { permitSubmitted: day })).toBe('permit 10')
    expect(now('Inspection', { installComplete: day })).toBe('funding 10')
    expect(now('Install Complete', { installComplete: day })).toBe('funding 10')
    expect(now('Awaiting PTO', { fundingSubmitted: day, m2Approved: true })).toBe('payment 10')
  })

  test('has no known duration if the end of the previous step is unknown', () => {
    expect(now('CAD Design', { createDate })).toBeNull()
    expect(now('Site Survey', { createDate: '2026-03-20T10:00:00.000Z' })).toBeNull()
  })

  test('is null for a deal that is cancelled, paid, on hold, or in an uninformative stage', () => {
    for (const stage of ['Cancelled', 'Complete', 'On Hold', 'In Progress', ''])
      expect(now(stage, { createDate }), stage).toBeNull()
  })
})

describe('the last completed step of a deal', () => {
  const reach = (fields: Partial<Deal>, stage = '') => {
    const [deal, meaning] = [dealOf({ stage, ...fields }), classifyStage(stage)]
    return lastStepOf(deal, meaning.kind, evidenceOf(deal, meaning, nowMs), nowMs)
  }
  const day = '2026-03-05T10:00:00.000Z'
  const designed = { siteSurveyCompleted: day, cadCompleted: day }
  const approved = { ...designed, engineeringCompleted: day, ntpApproved: day }

  test('follows from its stage, even without dates', () => {
    expect(reach({}, 'Site Survey')).toBe('created')
    expect(reach({}, 'Permit Submitted')).toBe('permitSubmission')
    expect(reach({}, 'Complete')).toBe('payment')
    expect(reach({ engineeringCompleted: day }, 'Site Survey')).toBe('engineering')
  })

  test('follows from complete dates if the stage is unknown', () => {
    for (const stage of ['Cancelled', 'On Hold', 'In Progress', '']) {
      expect(reach(designed, stage)).toBe('cad')
      expect(reach({ siteSurveyRequested: day }, stage)).toBe('created')
      expect(reach({ ...approved, permitRequired: false, installComplete: day }, stage)).toBe('install')
    }
  })

  test('is unknown without any date, or if an earlier date is missing', () => {
    for (const stage of ['Cancelled', 'On Hold', 'In Progress', '']) {
      expect(reach({}, stage)).toBe('unknown')
      expect(reach({ installComplete: '2026-03-16T00:00:00.000Z' }, stage)).toBe('unknown')
      expect(reach({ cadCompleted: day }, stage)).toBe('unknown')
      expect(reach({ installCompleted: true }, stage)).toBe('unknown')
      expect(reach({ ...approved, permitRequired: true, installComplete: day }, stage)).toBe('unknown')
    }
  })
})
