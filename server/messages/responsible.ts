import { type ResponsibleRole, blockerOf } from '../deals/milestones/money.ts'
import { parseKnown } from '../deals/render.ts'
import type { StageOf } from '../stages/stage.ts'

/** A stored deal, and the flags that its sources have set. */
export interface StoredDeal {
  json: string
  given: number | null
}

/** The person responsible for a deal. */
export interface Responsible {
  role: ResponsibleRole | null
  name: string | null
  /** Lowercase e-mail address. */
  email: string | null
}

/**
 * Returns who is responsible for a deal, as shown on the deal page. All fields are null for a closed deal.
 */
export function responsibleForDeal(
  { json, given }: StoredDeal,
  stageOf: StageOf,
  nowMs: number,
): Responsible {
  const deal = parseKnown(json, given)
  const blocker = blockerOf(deal, stageOf(deal.stage), nowMs)
  const [role, name] = [blocker?.holder ?? null, blocker?.name ?? null]
  const email = role === null || role === 'lender' ? null : (deal[role]?.email ?? null)
  return { role, name, email: email?.trim().toLowerCase() || null }
}

/** Returns the name of a deal as shown in messages. */
export function nameOfDeal(id: string, json: string): string {
  const { dealname, firstName, lastName } = JSON.parse(json) as Record<string, string | null | undefined>
  return dealname?.trim() || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}
