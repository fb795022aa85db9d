import type { DealField } from '../deals/deal.ts'
import { type EventType, isTechnical } from '../deals/event.ts'

/** An event of a partner, read backwards from the newest. */
export interface WalkedEvent {
  sequence: number
  dealId: string
  type: EventType
  /** Whether it is later than the last visit. */
  isRecent: boolean
  /** Whether the partner still has the deal. */
  isThere: boolean
}

/** A deal with news. */
interface FreshDeal {
  dealId: string
  isNew: boolean
}

/** The news: all events after the sequence `after`. */
export interface DealNews {
  after: number
  /** Whether there may be more: the scan ended before it reached the visit. */
  isCut: boolean
  /** Each deal once, most recent first. */
  deals: FreshDeal[]
}

/** How many events are read at most, so that no number of them slows the overview. */
export const walkLength = 500

/** Returns the news among events, newest first. */
export function newsAmong(walked: WalkedEvent[]): DealNews {
  const known = walked.findIndex(({ isRecent }) => !isRecent)
  const recent = known === -1 ? walked : walked.slice(0, known)
  const deals = new Map<string, FreshDeal>()
  for (const { dealId, type, isThere } of recent) {
    if (!isThere) continue
    const deal = deals.get(dealId) ?? { dealId, isNew: false }
    deals.set(dealId, { dealId, isNew: deal.isNew || type === 'deal.created' })
  }
  return {
    after: known === -1 ? (walked.at(-1)?.sequence ?? 1) - 1 : walked[known]!.sequence,
    isCut: known === -1 && walked.length === walkLength,
    deals: [...deals.values()],
  }
}

/** A change in an event. */
export interface ToldChange {
  field: DealField
  from: unknown
  to: unknown
}

/** The net effect of several changes of a deal. */
export interface NetChange {
  /** The previous and the current stage; null when it is the same. */
  stage: { from: string | null; to: string | null } | null
  /** The other fields that differ now. */
  fields: DealField[]
}

/** Returns the net effect of these changes, given oldest first. */
export function netChange(changes: ToldChange[]): NetChange {
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
