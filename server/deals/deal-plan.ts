import { type Change, applyRecord, changesBetween, fillIn } from './change.ts'
import type { DealRecord, KnownDeal } from './deal.ts'
import { flagFields, givenFlags } from './find/columns.ts'
import { hasRoomForWords } from './find/search.ts'
import { parseKnown, renderDeal } from './render.ts'
import type { StoredDeal, VersionedDeal } from './stored-store.ts'

/** A record to write; an undefined `partnerId` keeps the deal's partner, null removes it. */
export interface DealWrite {
  record: DealRecord
  partnerId: number | null | undefined
  /** The version of the only deal that may be overwritten, null for none; any, if it is undefined. */
  replaces?: string | null
  /** The partner whose deal may become another's, null for nobody's; anybody's, if it is undefined. */
  mayLeave?: number | null
  /** Whether it gives the deal back as it was, to a partner that had it, as an undo does. */
  isReturned?: boolean
  /** Whether a null of the record keeps the stored value, as the empty cell of a table does. */
  keepsEmpty?: boolean
}

/**
 * The result of a write. `no partner` (a new deal without one), `other partner` (a deal of a partner that it may not
 * leave), `too many words` (a deal too long to be searched) and `changed since` (not the deal that may be overwritten)
 * write nothing.
 */
export type Outcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'no partner'
  | 'other partner'
  | 'too many words'
  | 'changed since'

/** What the lists and events of a deal need to know of a write. */
export interface ListedWrite {
  id: bigint
  /** Undefined for a new deal. */
  stored: Pick<StoredDeal, 'partnerId'> | undefined
  partnerId: number | null
  changes: Change[]
  /** Whether the partner had the deal, as it is, before it lost it. */
  isReturned?: boolean
}

/** A deal before and after a write. */
export interface PlannedWrite extends ListedWrite {
  stored: StoredDeal | undefined
  json: string
  deal: KnownDeal | DealRecord
}

/** The decision about one write. An unchanged deal has a plan when it is to be re-rendered. */
export interface Decision {
  outcome: Outcome
  plan?: PlannedWrite
  /** The partner that the deal leaves for another or for none, or would leave if it might. */
  leaves?: number
}

/** Decides what a write does to the stored deal. */
export function decide(
  write: DealWrite,
  stored: (StoredDeal & Partial<VersionedDeal>) | undefined,
): Decision {
  if (write.replaces !== undefined && write.replaces !== (stored?.version ?? null))
    return { outcome: 'changed since' }
  const leaves = leftBy(write, stored)
  if (leaves !== null && write.mayLeave !== undefined && write.mayLeave !== leaves)
    return { outcome: 'other partner', leaves }
  const decision = { ...compare(write, stored), ...(leaves !== null && { leaves }) }
  const { outcome, plan } = decision
  if (plan !== undefined && write.isReturned === true) plan.isReturned = true
  return plan === undefined || outcome === 'unchanged' || hasRoomForWords(plan.deal, plan.json.length)
    ? decision
    : { outcome: 'too many words' }
}

/** Returns whether a record says that a flag is not given any more. */
const takesFlags = (record: DealRecord) => flagFields.some((field) => record[field] === null)

/** Returns the partner that loses a deal by a write, or null. */
function leftBy({ partnerId }: DealWrite, stored: StoredDeal | undefined): number | null {
  const owner = stored?.partnerId ?? null
  return partnerId === undefined || partnerId === owner ? null : owner
}

function compare({ record, partnerId, keepsEmpty }: DealWrite, stored: StoredDeal | undefined): Decision {
  const { id } = record
  const rendered = renderDeal(record)
  if (stored === undefined) {
    return partnerId === undefined
      ? { outcome: 'no partner' }
      : { outcome: 'created', plan: { id, stored, partnerId, json: rendered, deal: record, changes: [] } }
  }
  const owner = partnerId === undefined ? stored.partnerId : partnerId
  const isMoved = owner !== stored.partnerId
  // A record with every field renders to the stored text when nothing has changed, and the stored text need
  // not be parsed.
  const isGiven = (givenFlags(record) & ~(stored.given ?? 0)) === 0 && !takesFlags(record)
  if (rendered === stored.json && stored.isCurrent && isGiven) {
    return isMoved
      ? {
          outcome: 'updated',
          plan: {
            id,
            stored,
            partnerId: owner,
            json: rendered,
            deal: parseKnown(stored.json, stored.given),
            changes: [],
          },
        }
      : { outcome: 'unchanged' }
  }
  const before = parseKnown(stored.json, stored.given)
  const after = keepsEmpty === true ? fillIn(before, record) : applyRecord(before, record)
  // Deals are compared, not their texts: an older version's text differs although nothing has changed.
  const changes = changesBetween(before, after)
  const outcome = changes.length > 0 || isMoved ? 'updated' : 'unchanged'
  if (outcome === 'unchanged' && stored.isCurrent && givenFlags(after) === stored.given) return { outcome }
  return { outcome, plan: { id, stored, partnerId: owner, json: renderDeal(after), deal: after, changes } }
}
