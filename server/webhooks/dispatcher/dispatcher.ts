import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { repeat, withTimeout } from '../../admission/scheduling.ts'
import { causeOf } from '../../errors.ts'
import { type EndpointName, findPending, listenToQueue, releaseLeases, renewLeases } from '../queue-store.ts'
import { EndpointQueue, type EndpointQueueDeps, type PartnerLoad } from './endpoint-queue.ts'

export type DispatcherOptions = Omit<EndpointQueueDeps, 'db' | 'dueIn' | 'logError' | 'isStopping'>

/** Sends the events of all partners until stopped. */
export interface Dispatcher {
  /** Returns the number of endpoints whose deliveries are in progress or have just ended. */
  endpointCount(): number
  /** Waits at most `graceMs` for requests in progress, then releases the remaining leases. */
  stop(graceMs: number): Promise<void>
}

// Finds deliveries whose notification was lost. Polls sooner if a delivery becomes due.
const pollMs = 1000

// Maximum time that shutdown waits for the listening connection, and the interval at which busy queues are
// checked.
const unlistenMs = 1000
const busyPollMs = 20

/**
 * Starts to send due deliveries: leases them by endpoint, attempts them outside of transactions, and records
 * the results. Several processes can share a database.
 */
export function startDispatcher(db: Database, options: DispatcherOptions): Dispatcher {
  const { log, leaseMs } = options
  let isStopping = false
  const logError = (error: unknown, message: string) => {
    if (!isStopping) log.error({ error: causeOf(error) }, message)
  }
  const polling = repeat(poll, pollMs, (error) => logError(error, 'failed to read delivery queue'))
  const deps: EndpointQueueDeps = {
    ...options,
    db,
    logError,
    dueIn: polling.soon,
    isStopping: () => isStopping,
  }
  /** A queue is created when its endpoint has deliveries to send. */
  const endpointQueues = new Map<string, EndpointQueue>()
  const loads = new Map<PartnerId, PartnerLoad>()
  const keyOf = ({ partnerId, kind }: EndpointName) => `${partnerId}:${kind}`
  const leases = () => [...endpointQueues.values()].flatMap((queue) => [...queue.leases.values()])

  function pump({ partnerId, kind }: EndpointName): void {
    const load = loads.getOrInsertComputed(partnerId, () => ({ sending: 0 }))
    const makeQueue = () => new EndpointQueue({ partnerId, kind }, load, deps)
    void endpointQueues.getOrInsertComputed(keyOf({ partnerId, kind }), makeQueue).pump()
  }

  async function poll(): Promise<void> {
    for (const { due, nextMs, ...name } of await findPending(db, pollMs * 1.5)) {
      if (due) pump(name)
      if (nextMs !== null) polling.soon(nextMs)
    }
  }

  async function renew(): Promise<void> {
    // Removes idle queues, because endpoints come and go.
    for (const [key, { isIdle }] of endpointQueues) if (isIdle) endpointQueues.delete(key)
    const old = leases().filter(({ leasedAt }) => performance.now() - leasedAt > leaseMs / 3)
    if (old.length > 0) await renewLeases(db, old, leaseMs)
  }

  const renewing = repeat(renew, leaseMs / 3, (error) => logError(error, 'failed to renew leases'))
  const listening = listenToQueue(db, {
    wake: pump,
    withdraw: (endpoint, id) => endpointQueues.get(keyOf(endpoint))?.withdraw(id),
    ready() {
      // Notifications about withdrawn deliveries may have been missed.
      for (const queue of endpointQueues.values()) queue.releaseAhead()
      polling.soon(0)
    },
  })

  return {
    endpointCount: () => endpointQueues.size,
    async stop(graceMs) {
      isStopping = true
      polling.stop()
      await withTimeout(listening.stop(), unlistenMs, () => undefined)
      const end = performance.now() + graceMs
      const isBusy = () => endpointQueues.values().some((queue) => queue.isBusy)
      while (isBusy() && performance.now() < end) await sleep(busyPollMs)
      renewing.stop()
      for (const queue of endpointQueues.values()) queue.stop()
      const left = leases()
      // If the database is down, deliveries become due when their leases expire.
      if (left.length > 0) await releaseLeases(db, left).catch(() => {})
    },
  }
}
