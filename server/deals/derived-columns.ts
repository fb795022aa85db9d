import type { TenantScope } from '../accounts/partner.ts'
import { type Zone, dayOf } from '../values/zone.ts'
import { type DealBlocker, blockerOf } from './blocker.ts'
import type { KnownDeal } from './deal.ts'
import { type StageMeaning, evidenceOf } from './evidence.ts'
import { stepNow } from './flow.ts'
import { type NextStep, nextStepOf } from './next-step.ts'
import { type UsualSteps, expectedSteps, type DealPayment, paymentOf } from './payment.ts'
import { timelineOf } from './timeline.ts'

/** Returns the usual durations of the steps of the tenant's deals, or null until they have been computed. */
export type ReadUsual = (tenant: TenantScope, zone: Zone) => Promise<UsualSteps | null>

interface Derivation {
  nowMs: number
  zone: Zone
  /** The usual step durations of the deal's partner; null if unknown. */
  usual: UsualSteps | null
}

/**
 * Columns of rows and exports that are derived from a deal: the next step, what blocks payment and who is
 * responsible, and when the deal is paid.
 */
export const derivations = {
  milestone: (deal, stage, { nowMs, zone }): NextStep | null => nextStepOf(deal, stage, nowMs, zone),
  held: (deal, stage, { nowMs }): DealBlocker | null => blockerOf(deal, stage, nowMs),
  payment: (deal, stage, { nowMs, zone, usual }): DealPayment | null => {
    if (usual === null) return null
    const evidence = evidenceOf(deal, stage, nowMs)
    const today = dayOf(new Date(nowMs), zone)
    const step = stepNow(deal, stage.kind, evidence, nowMs, zone)
    const expected = expectedSteps(step, usual, timelineOf(deal, stage, nowMs, zone), today)
    return paymentOf(deal, stage, evidence, expected.payment, { nowMs, today })
  },
} satisfies Record<string, (deal: KnownDeal, stage: StageMeaning, derivation: Derivation) => unknown>

export type DerivedName = keyof typeof derivations
export type Derived = { [Name in DerivedName]: ReturnType<(typeof derivations)[Name]> }

export const derivedNames = Object.keys(derivations) as DerivedName[]

/**
 * Columns that are looked up: the partner's name, for viewers of all partners; the assignee's name; and
 * whether the deal has changed since the viewer's last visit.
 */
const lookedUpNames = ['partner', 'assignee', 'isUnseen'] as const
export type LookedUpName = (typeof lookedUpNames)[number]

/** All columns that are not fields of a deal. */
export const derivedColumns = [...derivedNames, ...lookedUpNames] as const
export type DerivedColumn = (typeof derivedColumns)[number]
