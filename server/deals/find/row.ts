import { type Zone } from '../../protocol/zone.ts'
import type { StageOf } from '../../stages/stage.ts'
import { type DealField, type KnownDeal, dealFields } from '../deal.ts'
import { type HeldDeal, heldOf } from '../milestones/money.ts'
import { type NextStep, nextStepOf } from '../milestones/next-step.ts'
import { renderValue } from '../render.ts'
import { type DerivedColumn, derivedColumns } from './wire.ts'

/** What a row of a list can be asked for: fields of the deal, and what is derived from them. */
export type RowField = DealField | DerivedColumn

/** How what is derived is derived from a deal; null for what was not asked for. */
export interface RowRules {
  milestoneOf: ((deal: KnownDeal) => NextStep | null) | null
  heldOf: ((deal: KnownDeal) => HeldDeal | null) | null
}

/** Returns the rules for what was asked for, at `nowMs` (milliseconds since 1970), by the days of a zone. */
export const rowRules = (
  asked: readonly RowField[],
  stageOf: StageOf,
  nowMs: number,
  zone: Zone,
): RowRules => ({
  milestoneOf: asked.includes('milestone')
    ? (deal) => nextStepOf(deal, stageOf(deal.stage), nowMs, zone)
    : null,
  heldOf: asked.includes('held') ? (deal) => heldOf(deal, stageOf(deal.stage), nowMs) : null,
})

/** Returns whether any of these is told by the stage and the timeline of a deal. */
export const needsRules = (asked: readonly RowField[]): boolean =>
  asked.includes('milestone') || asked.includes('held')

const isDerived = (field: RowField): field is DerivedColumn =>
  (derivedColumns as readonly string[]).includes(field)

/** Returns which fields of the deal itself a row has: the id, whatever was asked for, and those. */
export const ownFields = (asked: readonly RowField[]): DealField[] => [
  ...new Set<DealField>(['id', ...asked.filter((field) => !isDerived(field))]),
]

/** Returns a row as JSON; `partners` are the names by id of the deal, null when they were not asked for. */
export function rowJson(
  deal: KnownDeal,
  fields: readonly DealField[],
  { milestoneOf, heldOf: held }: RowRules,
  partners: ReadonlyMap<bigint, string> | null,
): string {
  const members = fields.map((field) => {
    const value = deal[field]
    // Of a flag that no source gave the interface says false, and the portal that it is not known.
    return `"${field}":${value === null ? 'null' : renderValue(dealFields[field].kind, value)}`
  })
  if (milestoneOf !== null) members.push(`"milestone":${JSON.stringify(milestoneOf(deal))}`)
  if (held !== null) members.push(`"held":${JSON.stringify(held(deal))}`)
  if (partners !== null) members.push(`"partner":${JSON.stringify(partners.get(deal.id) ?? null)}`)
  return `{${members.join(',')}}`
}
