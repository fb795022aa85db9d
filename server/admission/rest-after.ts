import { setTimeout as sleep } from 'node:timers/promises'
import { secondMs } from '../values/units.ts'

const factor = 4

/** Pauses so that others can use the database: four times as long as a step took, at most a second, or until `signal` aborts. */
export const restAfter = (tookMs: number, signal?: AbortSignal): Promise<void> =>
  sleep(Math.min(factor * tookMs, secondMs), undefined, signal && { signal }).catch(() => {})
