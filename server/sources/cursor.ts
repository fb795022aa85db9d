import { parseInt64 } from '../values/int64.ts'
import { type CrmRecord, SourceError } from './crm-source.ts'
import { removalMin, removalShare } from './policy.ts'

/**
 * Returns how late a change became visible that the window up to `fromMs` missed. The delay runs until now,
 * minus any time in which nothing was read.
 */
export function delayOf(
  modifiedMs: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  pollMs: number,
): number {
  const idleMs = Math.max(0, toMs - fromMs - 2 * pollMs)
  return Math.max(0, toMs - modifiedMs - idleMs)
}

/** Returns the milliseconds that the remaining records take at the current rate, or null if not yet known. */
export function remainingMs(read: number, total: number | null, elapsedMs: number): number | null {
  if (total === null || read <= 0 || elapsedMs <= 0) return null
  return Math.max(0, total - read) * (elapsedMs / read)
}

/** Returns true if removing this many of a source's deals needs an operator's approval. */
export const needsApproval = (removals: number, deals: number, approved: number): boolean =>
  removals > Math.max(removalMin, deals * removalShare) && removals > approved

/**
 * Returns the last id of a page, ignoring ids that are not integers. Ids that do not ascend would cause loops
 * or skipped records.
 * @throws SourceError if ids do not ascend, which would loop or skip records
 */
export function lastIdOf(records: readonly CrmRecord[], afterId: bigint): bigint {
  const ids = records.flatMap(({ id }) => parseInt64(id) ?? [])
  let last = afterId
  for (const next of ids) {
    if (next < last) throw new SourceError('The source returns records that are not sorted by id.')
    last = next
  }
  if (last === afterId && ids.length > 0) throw new SourceError('The source returns the same records again.')
  return last
}
