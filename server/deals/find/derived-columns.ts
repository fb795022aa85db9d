import type { Zone } from '../../protocol/zone.ts'
import type { KnownDeal } from '../deal.ts'
import type { StageMeaning } from '../milestones/evidence.ts'
import { type HeldDeal, heldOf } from '../milestones/money.ts'
import { type NextStep, nextStepOf } from '../milestones/next-step.ts'

/** Derives a value from a deal in a stage at `nowMs` (milliseconds since 1970), in days of a zone. */
type Derivation = (deal: KnownDeal, stage: StageMeaning, nowMs: number, zone: Zone) => unknown

/**
 * What rows and exports can contain besides a deal's fields: its next step as `milestone`, what holds it, and
 * who is responsible.
 */
export const derivations = {
  milestone: (deal, stage, nowMs, zone): NextStep | null => nextStepOf(deal, stage, nowMs, zone),
  held: (deal, stage, nowMs): HeldDeal | null => heldOf(deal, stage, nowMs),
} satisfies Record<string, Derivation>

export type DerivedName = keyof typeof derivations
export type Derived = { [Name in DerivedName]: ReturnType<(typeof derivations)[Name]> }

export const derivedNames = Object.keys(derivations) as DerivedName[]

/**
 * Looked up for rows: the partner's name, for viewers of all partners; the assignee's name; whether the deal
 * changed since the viewer's last visit.
 */
const lookedUpNames = ['partner', 'assignee', 'isUnseen'] as const
export type LookedUpName = (typeof lookedUpNames)[number]

/** Columns that are not fields of a deal. */
export const derivedColumns = [...derivedNames, ...lookedUpNames] as const
export type DerivedColumn = (typeof derivedColumns)[number]
