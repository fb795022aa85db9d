import { randomUUID } from 'node:crypto'
import type { Database } from '#db/client.ts'
import type { Background } from '../admission/background.ts'
import { recordWorker, removeWorker } from './store.ts'

const everyMs = 10_000

/**
 * Records a heartbeat of this worker every 10 seconds until it stops. `background` runs each write and waits
 * for it on shutdown.
 */
export function startHeartbeat(db: Database, background: Background): { stop(): void } {
  const id = randomUUID()
  let isStopping = false
  // One after the other: the last statement removes the worker, which a late heartbeat would insert again.
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
