import { type Change, applyRecord, changesBetween, fillIn } from './change.ts'
import { flagFields, givenFlags } from './columns.ts'
import type { DealRecord, KnownDeal } from './deal.ts'
import { dealMaxBytes } from './policy.ts'
import { parseKnown, renderDeal } from './render.ts'
import { hasRoomForWords } from './search-text.ts'
import type { StoredDeal } from './stored-store.ts'

/** A record to write. An undefined `partnerId` keeps the deal's partner, null removes it. */
export interface DealWrite {
  record: DealRecord
  partnerId: number | null | undefined
  /** The only stored version that may be overwritten; null: none, undefined: any. */
  replaces?: string | null
  /** The partner whose deal may be moved; null: only deals without a partner, undefined: any. */
  mayLeave?: number | null
  /** Whether a null in the record keeps the stored value, like an empty table cell. */
  keepsEmpty?: boolean
}

/**
 * The result of a write. Nothing is written for `no partner` (a new deal without one), `other partner` (may
 * not be moved), `too long` (to store or to index) and `changed since` (a concurrent change).
 */
export type Outcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'no partner'
  | 'other partner'
  | 'too long'
  | 'changed since'

/** A deal before and after a write. */
export interface DealChange {
  id: bigint
  /** Undefined for a new deal. */
  stored: StoredDeal | undefined
  partnerId: number | null
  deal: KnownDeal | DealRecord
  json: string
  changes: Change[]
}

/** The decision about one write. An unchanged deal has a change if it must be rendered again. */
export interface Decision {
  outcome: Outcome
  change?: DealChange
  /** The partner that loses the deal to another or to none, or would if the move were allowed. */
  leaves?: number
}

/** Decides what a write does to the stored deal. */
export function decide(write: DealWrite, stored: StoredDeal | undefined): Decision {
  if (write.replaces !== undefined && write.replaces !== (stored?.version ?? null))
    return { outcome: 'changed since' }
  const leaves = leftBy(write, stored)
  if (leaves !== null && write.mayLeave !== undefined && write.mayLeave !== leaves)
    return { outcome: 'other partner', leaves }
  const decision = { ...compare(write, stored), ...(leaves !== null && { leaves }) }
  const { outcome, change } = decision
  if (change === undefined || outcome === 'unchanged') return decision
  const isFitting =
    Buffer.byteLength(change.json) <= dealMaxBytes && hasRoomForWords(change.deal, change.json.length)
  return isFitting ? decision : { outcome: 'too long' }
}

/** Returns whether a record marks a given flag as not given. */
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
      : { outcome: 'created', change: { id, stored, partnerId, json: rendered, deal: record, changes: [] } }
  }
  const owner = partnerId === undefined ? stored.partnerId : partnerId
  const isMoved = owner !== stored.partnerId
  // Without changes, a record with every field renders to the stored text, so that text need not be parsed.
  const isGiven = (givenFlags(record) & ~(stored.given ?? 0)) === 0 && !takesFlags(record)
  if (rendered === stored.json && stored.isCurrent && isGiven) {
    return isMoved
      ? {
          outcome: 'updated',
          change: {
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
  // Compares deals, not their text: an older version's text differs although nothing has changed.
  const changes = changesBetween(before, after)
  const outcome = changes.length > 0 || isMoved ? 'updated' : 'unchanged'
  if (outcome === 'unchanged' && stored.isCurrent && givenFlags(after) === stored.given) return { outcome }
  return { outcome, change: { id, stored, partnerId: owner, json: renderDeal(after), deal: after, changes } }
}
