import { randomUUID } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { noteWorker, removeWorker } from './store.ts'

const everyMs = 10_000

/**
 * Records a heartbeat of this worker every 10 seconds until it stops. `background` runs each write and waits
 * for it on shutdown.
 */
export function startHeartbeat(db: Database, background: (work: Promise<unknown>) => void): { stop(): void } {
  const id = randomUUID()
  let last = noteWorker(db, id)
  background(last)
  const timer = setInterval(() => {
    last = noteWorker(db, id)
    background(last)
  }, everyMs)
  return {
    stop() {
      clearInterval(timer)
      // After the last heartbeat, which would otherwise reinsert the worker.
      background(last.catch(() => {}).then(() => removeWorker(db, id)))
    },
  }
}
