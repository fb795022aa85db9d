import {
  type Gate,
  type Blocker,
  type ResponsibleRole,
  type OpenGate,
  gates,
  holds,
} from '../../deals/milestones/money.ts'
import type { DealFilter } from '../../search/wire.ts'
import { z } from '../../values/input.ts'
import type { Counted } from '../wire.ts'
import { type Age, ages } from './aging.ts'
import {
  type Certainty,
  type ExpectedName,
  type Period,
  type Usual,
  certainties,
  expectedNames,
  periods,
} from './expectation.ts'

/** Deals at a gate, in total and by age. */
export interface GateFigure extends Counted<Gate> {
  ages: Counted<Age>[]
}

/** Deals at a gate with the same blocker, and who may be responsible. */
export interface HoldFigure extends Counted<Blocker> {
  gate: OpenGate
  holders: ResponsibleRole[]
}

/** Deals with an expected date in a period. The first or last day is null if the period is unbounded. */
export interface ExpectedFigure extends Counted<ExpectedName> {
  certainty: Certainty
  period: Period
  from: string | null
  to: string | null
}

/** Reasons why a deal has no expected date: a missing date, an unknown gate, or on hold. */
const notExpectedNames = [...expectedNames, 'unknown', 'onHold'] as const
export type NotExpected = (typeof notExpectedNames)[number]

/** The money figures of the tenant's deals. */
export interface MoneyFigures {
  /** Time of the figures (ISO 8601) if they are older than the list, otherwise null. */
  asOf: string | null
  /** The day of the figures, such as `2026-03-01`. */
  today: string
  /** In the order in which deals pass the gates. */
  gates: GateFigure[]
  /** Blockers of at least one deal, by gate. */
  holds: HoldFigure[]
  expected: ExpectedFigure[]
  /** Open deals without an expected date. */
  notExpected: Counted<NotExpected>[]
  /** Deals without an amount, which no sum of dollars includes. */
  unpriced: { count: number; filter: DealFilter }
  usual: Usual
}

const count = z.int().meta({ description: 'Number of deals.', example: 12 })
const amount = z.number().meta({ description: 'Sum of their amounts, in dollars.', example: 369600 })
const day = z.string().meta({ example: '2026-03-01' })

/** The money figures in REST form. */
export const MoneyReport = z
  .object({
    asOf: z.iso.datetime().meta({ description: 'When the figures were counted.' }),
    today: day.meta({ description: 'The day of the figures, in UTC.' }),
    gates: z.array(
      z.object({
        gate: z.enum(gates).meta({
          description:
            'Where the deals are: before M1; M1 conditions met, not installed; installed, funding not submitted; ' +
            'submitted, M2 not approved; approved, not paid; paid.',
        }),
        count,
        amount,
        ages: z.array(z.object({ days: z.enum(ages), count, amount })).meta({
          description: 'The same deals by how many days they have been there.',
        }),
        holds: z.array(z.object({ hold: z.enum(holds), holder: z.string().nullable(), count, amount })).meta({
          description:
            'The same deals by the one thing that holds them, with the field of the deal that says who has them.',
        }),
      }),
    ),
    expected: z.array(
      z.object({
        what: z.enum(expectedNames),
        certainty: z.enum(certainties).meta({
          description:
            '`scheduled`: the deals have a date; `usual`: after as many days as half of the deals take.',
        }),
        period: z.enum(periods).meta({
          description: 'Periods do not overlap: a deal is expected in one. Weeks end with Sunday.',
        }),
        from: day.nullable(),
        to: day.nullable(),
        count,
        amount,
      }),
    ),
    notExpected: z.array(z.object({ what: z.enum(notExpectedNames), count, amount })).meta({
      description:
        'Open deals that `expected` leaves out: without the dates that say when, `unknown` without saying at which ' +
        'gate they are, `onHold`.',
    }),
    unpriced: count.meta({ description: 'Deals without `amount`: counted, and missing in all dollars.' }),
  })
  .meta({ id: 'MoneyReport', description: 'Where the money of the deals is.' })
export type MoneyReport = z.infer<typeof MoneyReport>
