import { startHeartbeat } from '../health/heartbeat.ts'
import { startJobs } from '../jobs/start-jobs.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { mailMessages } from '../messages/mail-messages.ts'
import { startNotifier } from '../notifications/notifier.ts'
import { postDueNews } from '../notifications/team/post-news.ts'
import { startDispatcher } from '../webhooks/dispatcher/dispatcher.ts'
import type { EndpointName, Recorded } from '../webhooks/dispatcher/queue-store.ts'
import { switchOffAfterMs } from '../webhooks/policy.ts'
import { makeHandlers } from './handlers.ts'
import type { Services } from './services.ts'

/** The background work: deliveries, retention cleanup and token expiry warnings. */
export interface Worker {
  /** Waits for deliveries in progress, for a few seconds at most. */
  stop(): Promise<void>
}

// Polling interval of new questions.
const questionsMs = 5000

// Polling interval of team channels with news.
const postMs = 2000

// How long deliveries in progress may take during shutdown.
const graceMs = 5000

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
  const notifier = startNotifier({ db: services.notices, log })
  const jobs = startJobs({
    db: services.notices,
    log,
    handlers: makeHandlers(services),
    attempted: (kind, result) => metrics?.job(kind, result),
  })
  const heartbeat = startHeartbeat(db, services.background)
  const timers: NodeJS.Timeout[] = []
  const every = (ms: number, work: () => Promise<void>) => {
    const key = `timer ${timers.length}`
    const begin = () => void services.background('timer', key, work)
    timers.push(setInterval(begin, ms))
    return begin
  }
  startNews(services, every)
  every(questionsMs, () => mailMessages(mailing(services)))
  return {
    async stop() {
      timers.forEach((timer) => clearInterval(timer))
      await Promise.all([dispatcher.stop(graceMs), notifier.stop(graceMs), jobs.stop(graceMs)])
      pageNotifier.stop()
      heartbeat.stop()
    },
  }
}

/** Starts to send mail, weekly digests and news to team channels. */
function startNews(services: Services, every: (ms: number, work: () => Promise<void>) => void): void {
  const { notices: db, encryptionKey, webhooks, config } = services
  const deps = { db, safeFetch: webhooks.safeFetch, encryptionKey, publicUrl: config.publicUrl }
  every(postMs, () => postDueNews(deps))
}

/** Returns the dependencies of mailing. */
const mailing = ({ db, mailer, encryptionKey, config }: Services) => ({
  db,
  mailer,
  encryptionKey,
  publicUrl: config.publicUrl,
})

/** How often pages are notified of attempts, in one statement for all. */
const notifyIntervalMs = 500

/** Notifies pages of changed deliveries. */
function startPageNotifier({ db, background }: Pick<Services, 'db' | 'background'>) {
  let changes = noChanges()
  const flush = (key = 'tell') =>
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
      flush('tell the rest')
    },
  }
}
