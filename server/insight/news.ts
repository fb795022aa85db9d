import type { DealField } from '../deals/deal.ts'

/** An event of a partner, as a walk back from the newest one meets it. */
export interface WalkedEvent {
  sequence: number
  dealId: string
  type: 'deal.created' | 'deal.updated'
  /** Whether it happened after the visit. */
  isRecent: boolean
  /** Whether the partner still has the deal. */
  isThere: boolean
}

/** A deal of which there is news. */
interface FreshDeal {
  dealId: string
  isNew: boolean
}

/** What there is news of: all events after the sequence `after`. */
export interface News {
  after: number
  /** Whether there may be more before that: the walk ended without getting back to the visit. */
  isCut: boolean
  /** Each deal once, what happened last first. */
  deals: FreshDeal[]
}

/** How many events are walked back at most, so that no number of events makes the overview slow. */
export const walkLength = 500

/** Returns what is news among the events of a walk, newest first. */
export function newsAmong(walked: WalkedEvent[]): News {
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

/** A change as an event tells it. */
export interface ToldChange {
  field: DealField
  from: unknown
  to: unknown
}

/** What several changes of a deal come to in the end. */
export interface NetChange {
  /** Where it was and is; null: it is where it was. */
  stage: { from: string | null; to: string | null } | null
  /** The other fields that are different now. */
  fields: DealField[]
}

/** Fields that move along with others, and say nothing by themselves. */
const followers: ReadonlySet<DealField> = new Set([
  'stageId',
  'pipelineId',
  'lastModified',
  'timeInCurrentStage',
])

/** Returns what changed from before the first to after the last of these changes, oldest first. */
export function netChange(changes: ToldChange[]): NetChange {
  const net = new Map<DealField, { from: unknown; to: unknown }>()
  for (const { field, from, to } of changes)
    net.set(field, { from: net.has(field) ? net.get(field)!.from : from, to })
  const different = [...net].filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to))
  const stage = different.find(([field]) => field === 'stage')?.[1] as NetChange['stage'] | undefined
  return {
    stage: stage ?? null,
    fields: different.map(([field]) => field).filter((field) => field !== 'stage' && !followers.has(field)),
  }
}
