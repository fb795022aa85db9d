import { randomUUID } from 'node:crypto'
import type { Database } from '#db/client.ts'
import type { Background } from '../admission/background.ts'
import { recordWorker, removeWorker } from './store.ts'

const everyMs = 10_000

/**
 * Records a heartbeat of this worker every 10 seconds until it is stopped. `background` runs the writes, and
 * shutdown waits for them.
 */
export function startHeartbeat(db: Database, background: Background): { stop(): void } {
  const id = randomUUID()
  let isStopping = false
  // Statements run in sequence: a heartbeat after the final deletion would insert the worker again.
  let last: Promise<unknown> = Promise.resolve()
  const beat = () =>
    background('timer', 'heartbeat', () => (last = isStopping ? Promise.resolve() : recordWorker(db, id)))
  beat()
  const timer = setInterval(beat, everyMs)
  return {
    stop() {
      isStopping = true
      clearInterval(timer)
      background('timer', 'last heartbeat', () => last.catch(() => {}).then(() => removeWorker(db, id)))
    },
  }
}
