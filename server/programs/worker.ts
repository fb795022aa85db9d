import { withTimeout } from '../admission/scheduling.ts'
import { startHeartbeat } from '../health/store.ts'
import { JobRunner } from '../jobs/job-runner.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import type { Services } from '../runtime/services.ts'
import { startDispatcher } from '../webhooks/dispatcher/dispatcher.ts'
import { switchOffAfterMs } from '../webhooks/policy.ts'
import type { EndpointName, Recorded } from '../webhooks/queue-store.ts'
import { makeHandlers } from './handlers.ts'

/** Sends deliveries and runs jobs. */
export interface Worker {
  /** Stops the worker, and waits a few seconds for deliveries and jobs in progress. */
  stop(): Promise<void>
}

/** Maximum time for deliveries and jobs in progress during shutdown, in milliseconds. */
const graceMs = { deliveries: 4500, jobs: 2500 }
/** Maximum time for stopping the worker, for example if the database is down. */
const stopMaxMs = 5500

/** Starts the worker of this process. */
export function startWorker(services: Services): Worker {
  const { db, queue, log, encryptionKey, webhooks, config, metrics, traces } = services
  const pageNotifier = startPageNotifier(services)
  const attempted = (result: Recorded, { partnerId }: EndpointName) => {
    metrics?.attempt(result.state)
    services.hours.attempt(result.state === 'delivered')
    traces?.attempt(result)
    pageNotifier.add(partnerId)
  }
  const dispatcher = startDispatcher(queue, {
    ...webhooks,
    encryptionKey,
    leaseMs: config.webhookLeaseMs,
    failingMs: switchOffAfterMs,
    log,
    attempted,
  })
  const jobs = new JobRunner({
    db: services.notices,
    log,
    handlers: makeHandlers(services),
    attempted: (kind, result) => metrics?.job(kind, result),
  })
  const heartbeat = startHeartbeat(db, services.background)
  return {
    async stop() {
      const stopping = Promise.all([dispatcher.stop(graceMs.deliveries), jobs.stop(graceMs.jobs)])
      await withTimeout(stopping, stopMaxMs, () => log.warn('the worker did not stop in time'))
      pageNotifier.stop()
      heartbeat.stop()
    },
  }
}

/** Interval at which pages are notified of attempts. */
const notifyIntervalMs = 500

/** Notifies open pages of changed deliveries. */
function startPageNotifier({ db, background }: Pick<Services, 'db' | 'background'>) {
  let changes = noChanges()
  const flush = (key = 'notify pages') =>
    background('timer', key, () => {
      const pending = changes
      changes = noChanges()
      return notifyChanges(db.$client, pending)
    })
  const timer = setInterval(() => flush(), notifyIntervalMs)
  return {
    add: (partnerId: number) => void changes.deliveries.add(partnerId),
    stop() {
      clearInterval(timer)
      flush('notify pages of the rest')
    },
  }
}
