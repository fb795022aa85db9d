import type { Person } from '../deals/deal.ts'
import { type Blocker, type ResponsibleRole, roleResponsibleFor } from '../deals/milestones/money.ts'
import { type StageKind, isClosed, isOnHold } from '../stages/stage.ts'

/** The stored parts of a deal that determine who is responsible. */
export interface StoredPlace {
  hold: Exclude<Blocker, 'onHold'> | null
  /** The kind of its stage; null if unknown. */
  kind: StageKind | null
  json: string
}

/** The person responsible for a deal. */
export interface Responsible {
  role: ResponsibleRole | null
  name: string | null
  /** In lower case. */
  email: string | null
}

type Named = Partial<Pick<Person, 'firstName' | 'lastName' | 'email'>>

/** Returns who is responsible for a deal by its hold; null once it is closed. */
export function responsibleForDeal({ hold, kind, json }: StoredPlace): Responsible {
  const isOver = kind !== null && isClosed(kind)
  const role =
    isOver || hold === null ? null : roleResponsibleFor(kind !== null && isOnHold(kind) ? 'onHold' : hold)
  if (role === null) return { role, name: null, email: null }
  const deal = JSON.parse(json) as Partial<Record<Exclude<ResponsibleRole, 'lender'>, Named | null>> & {
    lender?: string | null
  }
  if (role === 'lender') return { role, name: deal.lender || null, email: null }
  const { firstName, lastName, email } = deal[role] ?? {}
  return {
    role,
    name: [firstName, lastName].filter(Boolean).join(' ') || (email ?? null),
    email: email?.trim().toLowerCase() || null,
  }
}

/** Returns the name of a deal for messages. */
export function nameOfDeal(id: string, json: string): string {
  const { dealname, firstName, lastName } = JSON.parse(json) as Record<string, string | null | undefined>
  return dealname?.trim() || [lastName, firstName].filter(Boolean).join(', ') || `Deal ${id}`
}
