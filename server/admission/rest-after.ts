import { setTimeout as sleep } from 'node:timers/promises'
import { secondMs } from '../values/units.ts'

const factor = 4

/** Pauses between steps of bulk work: four times as long as the last step, at most a second, or until `signal` aborts. */
export const restAfter = (tookMs: number, signal?: AbortSignal): Promise<void> =>
  sleep(Math.min(factor * tookMs, secondMs), undefined, signal && { signal }).catch(() => {})
