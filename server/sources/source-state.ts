import { remainingMs } from './cursor.ts'
import type { StoredSource } from './store.ts'

/** State of a source, as shown to operators. */
export type SourceState = 'unconnected' | 'paused' | 'failing' | 'asking' | 'loading' | 'following'

type Described = Pick<
  StoredSource,
  | ('connectedAt' | 'pausedAt' | 'failingSince' | 'removalsWaiting' | 'loadedAt' | 'asOf')
  | ('windowRead' | 'windowTotal' | 'windowBeganAt')
>

/** Returns the state of a source, its lag, and the remaining time of its first load. */
export function sourceStateOf(source: Described, nowMs: number) {
  const { asOf, loadedAt, windowRead, windowTotal, windowBeganAt } = source
  return {
    state: nameOf(source),
    lagMs: asOf === null ? null : Math.max(0, nowMs - asOf.getTime()),
    remainingMs:
      loadedAt !== null || windowBeganAt === null
        ? null
        : remainingMs(windowRead, windowTotal, nowMs - windowBeganAt.getTime()),
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
