import { parseInt64 } from '../values/int64.ts'
import { type CrmRecord, SourceError } from './crm-source.ts'
import { removalMin, removalShare } from './policy.ts'
import type { StoredSource } from './store.ts'

export type SourceState = 'unconnected' | 'paused' | 'failing' | 'asking' | 'loading' | 'following'

type Described = Pick<
  StoredSource,
  | ('connectedAt' | 'pausedAt' | 'failingSince' | 'removalsWaiting' | 'loadedAt' | 'asOf')
  | ('windowRead' | 'windowTotal' | 'windowBeganAt')
>

/** Returns the state of a source, its lag, and the remaining time of its first load. */
export function sourceStateOf(source: Described, nowMs: number) {
  const { asOf, loadedAt, windowRead, windowTotal, windowBeganAt } = source
  const elapsedMs = nowMs - (windowBeganAt?.getTime() ?? nowMs)
  return {
    state: nameOf(source),
    lagMs: asOf === null ? null : Math.max(0, nowMs - asOf.getTime()),
    remainingMs:
      loadedAt !== null || windowTotal === null || windowRead <= 0 || elapsedMs <= 0
        ? null
        : Math.max(0, windowTotal - windowRead) * (elapsedMs / windowRead),
  }
}

function nameOf(source: Described): SourceState {
  const { connectedAt, pausedAt, failingSince, removalsWaiting, loadedAt } = source
  if (connectedAt === null) return 'unconnected'
  if (pausedAt !== null) return 'paused'
  if (failingSince !== null) return 'failing'
  if (removalsWaiting > 0) return 'asking'
  return loadedAt === null ? 'loading' : 'following'
}

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
