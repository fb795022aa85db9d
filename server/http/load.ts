import { monitorEventLoopDelay } from 'node:perf_hooks'

const lagMaxMs = 500
const sampleMs = 1000

let lagMs = 0

/** Starts monitoring the event loop. Must be called after startup, which would otherwise count as load. */
export function watchLoad(): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  setInterval(() => {
    lagMs = delay.percentile(50) / 1e6
    delay.reset()
  }, sampleMs).unref()
}

/** Returns true while the event loop lags. */
export const isSaturated = (): boolean => lagMs > lagMaxMs
