import { type DealField, type KnownDeal, dealFields } from '../deals/deal.ts'
import {
  type Derived,
  type DerivedColumn,
  type DerivedName,
  type LookedUpName,
  derivations,
  derivedColumns,
  derivedNames,
} from '../deals/derived-columns.ts'
import type { UsualSteps } from '../deals/milestones/expected.ts'
import { renderValue } from '../deals/render.ts'
import type { StageOf } from '../stages/stage.ts'
import type { Zone } from '../values/zone.ts'

/** A column of a row: a field of the deal or a derived column. */
export type RowField = DealField | DerivedColumn

/** Derives the requested columns from a deal and the usual step durations of its partner. */
export type Derive = (deal: KnownDeal, usual: UsualSteps | null) => Partial<Derived>

const namesIn = (requested: readonly RowField[]): DerivedName[] =>
  derivedNames.filter((name) => requested.includes(name))

/** Returns the function that derives the requested columns. */
export function derivesOf(
  requested: readonly RowField[],
  stageOf: StageOf,
  given: { nowMs: number; zone: Zone },
): Derive {
  const names = namesIn(requested)
  return (deal, usual) =>
    Object.fromEntries(
      names.map((name) => [name, derivations[name](deal, stageOf(deal.stage), { ...given, usual })]),
    )
}

/** Returns true if any requested column is derived from the deal's stage and dates. */
export const needsStages = (requested: readonly RowField[]): boolean => namesIn(requested).length > 0

const isDerived = (field: RowField): field is DerivedColumn =>
  (derivedColumns as readonly string[]).includes(field)

/** Returns the deal's own fields in a row: the id and the requested fields. */
export const ownFields = (requested: readonly RowField[]): DealField[] => [
  ...new Set<DealField>(['id', ...requested.filter((field) => !isDerived(field))]),
]

/** Looked-up values by deal id. */
export type LookedUp = Partial<Record<LookedUpName, ReadonlyMap<bigint, string | boolean>>>

/** Returns a row as JSON. `seenAt` is the time when the portal first saw the deal in its stage. */
export function rowJson(
  deal: KnownDeal,
  fields: readonly DealField[],
  derived: Partial<Derived>,
  lookedUp: LookedUp,
  seenAt: string | null = null,
): string {
  const members = fields.map((field) => {
    const value = deal[field]
    // The API sends false for a flag that no source sent, while the portal shows "unknown".
    return `"${field}":${value === null ? 'null' : renderValue(dealFields[field].kind, value)}`
  })
  for (const [name, value] of Object.entries(derived)) members.push(`"${name}":${JSON.stringify(value)}`)
  for (const [name, values] of Object.entries(lookedUp))
    members.push(`"${name}":${JSON.stringify(values.get(deal.id) ?? null)}`)
  if (seenAt !== null) members.push(`"seenAt":"${seenAt}"`)
  return `{${members.join(',')}}`
}
