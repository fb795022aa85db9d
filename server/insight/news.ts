import type { DealField } from '../deals/deal.ts'
import { isTechnical } from '../deals/event.ts'

/** A change of one field, as recorded in an event. */
export interface FieldChange {
  field: DealField
  from: unknown
  to: unknown
}

/** The net effect of several changes to a deal. */
export interface NetChange {
  /** The previous and current stage, or null if unchanged. */
  stage: { from: string | null; to: string | null } | null
  /** Other fields whose values differ now. */
  fields: DealField[]
}

/** Returns the net effect of changes that are sorted oldest first. */
export function netChange(changes: FieldChange[]): NetChange {
  const net = new Map<DealField, { from: unknown; to: unknown }>()
  for (const { field, from, to } of changes)
    net.set(field, { from: net.has(field) ? net.get(field)!.from : from, to })
  const different = [...net].filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to))
  const stage = different.find(([field]) => field === 'stage')?.[1] as NetChange['stage'] | undefined
  return {
    stage: stage ?? null,
    fields: different.map(([field]) => field).filter((field) => field !== 'stage' && !isTechnical(field)),
  }
}
