import { monitorEventLoopDelay } from 'node:perf_hooks'
import { poolSize } from '#db/client.ts'

// With this many requests per connection, the last waits a second or more: responding with 503 at once is
// kinder.
const underwayMax = poolSize * 32
const lagMaxMs = 500
const sampleMs = 1000

let lagMs = 0

/** Starts to watch the event loop. Called once the process listens, because startup is not load. */
export function watchLoad(): void {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  setInterval(() => {
    lagMs = delay.percentile(50) / 1e6
    delay.reset()
  }, sampleMs).unref()
}

/** Returns whether the process is overloaded: the event loop lags, or requests queue for connections. */
export function isSaturated(underway: number): boolean {
  return underway > underwayMax || lagMs > lagMaxMs
}
