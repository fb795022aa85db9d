import { setTimeout as sleep } from 'node:timers/promises'
import { secondMs } from '../values/units.ts'

const factor = 4

/**
 * Pauses after a step of bulk work for four times the duration of that step, but at most a second. Resolves
 * early when `signal` aborts.
 */
export const restAfter = (tookMs: number, signal?: AbortSignal): Promise<void> =>
  sleep(Math.min(factor * tookMs, secondMs), undefined, signal && { signal }).catch(() => {})
