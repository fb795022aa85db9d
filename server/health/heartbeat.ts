import { randomUUID } from 'node:crypto'
import type { Database } from '#db/client.ts'
import { noteWorker, removeWorker } from './store.ts'

const everyMs = 10_000

/**
 * Tells the database every 10 seconds that this worker is there, until it stops.
 * `background` lets that go on by itself, and waits for it in the end.
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
      // Behind the last sign, which would leave the worker there.
      background(last.catch(() => {}).then(() => removeWorker(db, id)))
    },
  }
}
