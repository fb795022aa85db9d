import { type Change, applyRecord, changesBetween, fillIn } from './change.ts'
import { flagFields, givenFlags } from './columns.ts'
import type { DealRecord, KnownDeal } from './deal.ts'
import { dealMaxBytes } from './policy.ts'
import { parseKnown, renderDeal } from './render.ts'
import { hasRoomForWords } from './search-text.ts'
import type { StoredDeal } from './stored-store.ts'

/** A record to write. If `partnerId` is undefined, the deal keeps its partner; null removes the partner. */
export interface DealWrite {
  record: DealRecord
  partnerId: number | null | undefined
  /**
   * The version of the stored deal that may be overwritten. Null allows only a new deal; undefined allows any
   * version.
   */
  replaces?: string | null
  /**
   * The partner whose deal may be moved. Null allows moving only deals without a partner; undefined allows
   * any partner.
   */
  mayLeave?: number | null
  /** True if null in the record keeps the stored value, as for an empty cell of a table. */
  keepsEmpty?: boolean
}

/**
 * The result of a write. Nothing is written for `no partner` (a new deal without a partner), `other partner`
 * (the deal may not be moved), `too long` (too large to store or index) and `changed since` (the deal has
 * changed concurrently).
 */
export type Outcome =
  | 'created'
  | 'updated'
  | 'unchanged'
  | 'no partner'
  | 'other partner'
  | 'too long'
  | 'changed since'

export interface DealChange {
  id: bigint
  stored: StoredDeal | undefined
  partnerId: number | null
  deal: KnownDeal | DealRecord
  json: string
  changes: Change[]
}

/** What to write for one record. An unchanged deal still has a `change` if it must be rendered again. */
export interface Decision {
  outcome: Outcome
  change?: DealChange
  /** The partner that loses the deal, or that would lose it if moving were allowed. */
  leaves?: number
}

/** Decides how a record changes the stored deal. */
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

const takesFlags = (record: DealRecord) => flagFields.some((field) => record[field] === null)

/** Returns the partner that would lose the deal by this write, or null. */
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
  // A record with all fields renders to the stored text if nothing has changed, in which case the text need
  // not be parsed.
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
  // Compares fields, because the JSON of an older version differs even if no field has changed.
  const changes = changesBetween(before, after)
  const outcome = changes.length > 0 || isMoved ? 'updated' : 'unchanged'
  if (outcome === 'unchanged' && stored.isCurrent && givenFlags(after) === stored.given) return { outcome }
  return { outcome, change: { id, stored, partnerId: owner, json: renderDeal(after), deal: after, changes } }
}
