import type { OpenGate } from '../deals/blocker.ts'
import type { TimeField } from '../deals/columns.ts'
import { type StepDates, flowFields } from '../deals/flow.ts'
import type { DealFilter } from '../search/wire.ts'
import { addDays, mondayOf } from '../values/zone.ts'
import type { UsualDays } from './periods.ts'

/** The next expected milestones of deals, in order. */
export const expectedNames = ['m1', 'install', 'submission', 'payment'] as const
export type ExpectedName = (typeof expectedNames)[number]

/** How certain an expected date is: scheduled in the deal, or estimated from the usual duration. */
export const certainties = ['scheduled', 'usual'] as const
export type Certainty = (typeof certainties)[number]

/** Periods of expected dates: before today, or weeks and months from today on that do not overlap. */
export const periods = ['overdue', 'thisWeek', 'nextWeek', 'laterThisMonth', 'nextMonth', 'after'] as const
export type Period = (typeof periods)[number]

export type Usual = Record<ExpectedName, UsualDays | null>

/** The start and end dates of each expected step. The last step ends when the deal enters a won stage. */
export const usualSpans: Readonly<Record<ExpectedName, StepDates>> = {
  m1: { from: 'createDate', to: 'ntpApproved' },
  install: { from: 'ntpApproved', to: 'installComplete' },
  submission: flowFields.funding,
  payment: flowFields.payment,
}

/** A rule by which deals have an expected date. */
export interface Expectation {
  name: ExpectedName
  certainty: Certainty
  gates: OpenGate[]
  /** The date that the days are counted from, and the number of days. */
  from: TimeField
  days: number
  /** The date that must be missing, because it would be more precise. */
  without?: TimeField
}

export const gatesOfExpected: Readonly<Record<ExpectedName, OpenGate[]>> = {
  m1: ['m1'],
  install: ['install'],
  submission: ['submit'],
  payment: ['approve', 'pay'],
}

/** Returns the rules for expected dates. A rule needs a known usual duration unless the date is scheduled. */
export function expectationsOf(usual: Usual): Expectation[] {
  return expectedNames.flatMap((name): Expectation[] => {
    const days = usual[name]
    const gates = gatesOfExpected[name]
    const isScheduled = name === 'install'
    return [
      ...(isScheduled
        ? [{ name, certainty: 'scheduled' as const, gates, from: 'installedScheduled' as const, days: 0 }]
        : []),
      ...(days === null
        ? []
        : [
            {
              name,
              certainty: 'usual' as const,
              gates,
              from: usualSpans[name].from,
              days: days.median,
              ...(isScheduled && { without: 'installedScheduled' as const }),
            },
          ]),
    ]
  })
}

/** Returns the last day of the month that contains a day such as `2026-03-01`. */
const endOfMonth = (today: string) => addDays(`${addDays(`${today.slice(0, 7)}-28`, 4).slice(0, 7)}-01`, -1)

/** First and last day of a period, or null if unbounded. */
export interface PeriodDays {
  from: string | null
  to: string | null
}

/**
 * Returns the days of a period, or null if it has none. Weeks end on Sunday. Each day from today on is in
 * exactly one period: days of next week are not repeated in their month.
 */
export function daysOfPeriod(period: Period, today: string): PeriodDays | null {
  if (period === 'overdue') return { from: null, to: addDays(today, -1) }
  const thisWeek = addDays(mondayOf(today), 6)
  const nextWeek = addDays(thisWeek, 7)
  const thisMonth = endOfMonth(today)
  const ends = [thisWeek, nextWeek, thisMonth, endOfMonth(addDays(thisMonth, 1))]
  const index = periods.indexOf(period) - 1
  const before = ends.slice(0, index).reduce((last, end) => (end > last ? end : last), addDays(today, -1))
  const [from, to] = [addDays(before, 1), ends[index] ?? null]
  return to !== null && to < from ? null : { from, to }
}

/** Returns the filter for deals with this expected date, regardless of gate and stage. */
export function expectationFilter(
  { from, days, without }: Expectation,
  { from: first, to: last }: PeriodDays,
): DealFilter {
  return {
    dates: {
      [from]: {
        ...(first !== null && { from: addDays(first, -days) }),
        ...(last !== null && { to: addDays(last, -days) }),
      },
    },
    ...(without !== undefined && { missing: [without] }),
  }
}

/** How long deals have been at a gate, in days. `unknown` if the date is missing. */
export const ages = ['0-7', '8-14', '15-30', '31-60', 'over-60', 'unknown'] as const
export type Age = (typeof ages)[number]

/** The upper limits, in days, of the ages before `over-60`. */
export const ageEnds = [7, 14, 30, 60] as const

/** Returns the filter for deals of an age on a day such as `2026-03-01`, based on this date field. */
export function ageFilter(field: TimeField, age: Age, today: string): DealFilter {
  if (age === 'unknown') return { missing: [field] }
  const index = ages.indexOf(age)
  const [end, before] = [ageEnds[index], ageEnds[index - 1]]
  return {
    dates: {
      [field]: {
        ...(end !== undefined && { from: addDays(today, -end) }),
        // Without an upper bound, future dates count as the youngest age.
        ...(before !== undefined && { to: addDays(today, -before - 1) }),
      },
    },
  }
}

export const periodLabels: Record<Period, string> = {
  overdue: 'Overdue',
  thisWeek: 'This week',
  nextWeek: 'Next week',
  laterThisMonth: 'Later this month',
  nextMonth: 'Next month',
  after: 'After',
}

export const expectedLabels: Record<ExpectedName, string> = {
  m1: 'M1',
  install: 'Install',
  submission: 'Funding submission',
  payment: 'Payment',
}
