import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { repeat } from '../../admission/repeat.ts'
import { withTimeout } from '../../admission/with-timeout.ts'
import { causeOf } from '../../errors.ts'
import { EndpointQueue, type EndpointQueueDeps, type PartnerLoad } from './endpoint-queue.ts'
import { type EndpointName, findPending, listenToQueue, releaseLeases, renewLeases } from './queue-store.ts'

export type DispatcherOptions = Omit<EndpointQueueDeps, 'db' | 'dueIn' | 'logError' | 'isStopping'>

/** Sends the events of all partners while it runs. */
export interface Dispatcher {
  /** Returns the number of endpoints that have deliveries in progress, or had them a moment ago. */
  endpointCount(): number
  /** Waits at most `graceMs` for running requests, then releases the remaining leases. */
  stop(graceMs: number): Promise<void>
}

// A fallback for notifications, which a broken connection or a pooler loses; sooner if something falls due.
const pollMs = 1000

// How long shutdown waits for the listening connection, and how often it checks for busy queues.
const unlistenMs = 1000
const busyPollMs = 20

/**
 * Starts to send due deliveries: leases them endpoint by endpoint, attempts them outside of any transaction,
 * records the results. Several processes may do so on the same database.
 */
export function startDispatcher(db: Database, options: DispatcherOptions): Dispatcher {
  const { log, leaseMs } = options
  let isStopping = false
  const logError = (error: unknown, message: string) => {
    if (!isStopping) log.error({ error: causeOf(error) }, message)
  }
  const polling = repeat(poll, pollMs, (error) => logError(error, 'failed to read delivery queue'))
  const endpointQueues = makeEndpointQueues({
    ...options,
    db,
    logError,
    dueIn: polling.soon,
    isStopping: () => isStopping,
  })

  async function poll(): Promise<void> {
    for (const { due, nextMs, ...name } of await findPending(db, pollMs * 1.5)) {
      if (due) endpointQueues.pump(name)
      if (nextMs !== null) polling.soon(nextMs)
    }
  }

  async function renew(): Promise<void> {
    endpointQueues.dropIdle()
    const old = endpointQueues.held().filter(({ leasedAt }) => performance.now() - leasedAt > leaseMs / 3)
    if (old.length > 0) await renewLeases(db, old, leaseMs)
  }

  const renewing = repeat(renew, leaseMs / 3, (error) => logError(error, 'failed to renew leases'))
  const listening = listenToQueue(db, {
    wake: endpointQueues.pump,
    withdraw: endpointQueues.withdraw,
    ready() {
      endpointQueues.releaseAhead()
      polling.soon(0)
    },
  })

  return {
    endpointCount: endpointQueues.count,
    async stop(graceMs) {
      isStopping = true
      polling.stop()
      await withTimeout(listening.stop(), unlistenMs, () => undefined)
      const end = performance.now() + graceMs
      while (endpointQueues.areBusy() && performance.now() < end) await sleep(busyPollMs)
      renewing.stop()
      endpointQueues.stop()
      const left = endpointQueues.held()
      // While the database is down, deliveries become due when their leases end.
      if (left.length > 0) await releaseLeases(db, left).catch(() => {})
    },
  }
}

/** Returns the queues of endpoints, each created when its endpoint has something to send. */
function makeEndpointQueues(deps: EndpointQueueDeps) {
  const endpointQueues = new Map<string, EndpointQueue>()
  const loads = new Map<PartnerId, PartnerLoad>()
  const keyOf = ({ partnerId, kind }: EndpointName) => `${partnerId}:${kind}`
  return {
    /** Fills the queue of an endpoint. */
    pump({ partnerId, kind }: EndpointName): void {
      const key = keyOf({ partnerId, kind })
      const load = loads.getOrInsertComputed(partnerId, () => ({ sending: 0 }))
      const endpointQueue = endpointQueues.get(key) ?? new EndpointQueue({ partnerId, kind }, load, deps)
      endpointQueues.set(key, endpointQueue)
      void endpointQueue.pump()
    },
    /** Drops a withdrawn delivery. */
    withdraw: (endpoint: EndpointName, id: number) => endpointQueues.get(keyOf(endpoint))?.withdraw(id),
    /** Releases leased deliveries that have not begun and may have been withdrawn. */
    releaseAhead() {
      for (const endpointQueue of endpointQueues.values()) endpointQueue.releaseAhead()
    },
    /** Drops queues without work: endpoints come and go. */
    dropIdle() {
      for (const [key, { isIdle }] of endpointQueues) if (isIdle) endpointQueues.delete(key)
    },
    count: () => endpointQueues.size,
    held: () => [...endpointQueues.values()].flatMap(({ held }) => [...held.values()]),
    areBusy: () => [...endpointQueues.values()].some(({ isBusy }) => isBusy),
    stop() {
      for (const endpointQueue of endpointQueues.values()) endpointQueue.stop()
    },
  }
}
