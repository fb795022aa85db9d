import { listPartners } from './accounts/store.ts'
import { removeOldEvents } from './deals/retention-store.ts'
import type { Services } from './services.ts'
import { startCourier } from './webhooks/courier.ts'
import { removeExpiredSecrets, removeOldAttempts, removeOldDeliveries } from './webhooks/retention-store.ts'

/** What goes on in the background: deliveries, and the removal of what is old. */
export interface Worker {
  /** Waits for the deliveries that are underway, for a few seconds at most. */
  stop(): Promise<void>
}

// An address on which everything failed for so long is switched off.
const failingMs = 5 * 24 * 60 * 60 * 1000

const attemptRetentionDays = 30

const hourMs = 60 * 60 * 1000

// How long deliveries that are underway may take to end when the process is told to stop.
const graceMs = 5000

/** Starts the worker of this process. */
export function startWorker(services: Services): Worker {
  const { db, log, sealingKey, webhooks, config } = services
  const courier = startCourier(db, { ...webhooks, sealingKey, leaseMs: config.webhookLeaseMs, failingMs, log })
  const removing = setInterval(() => services.background(removeOld(services)), hourMs)
  services.background(removeOld(services))
  return {
    async stop() {
      clearInterval(removing)
      await courier.stop(graceMs)
    },
  }
}

/** Removes what is kept no longer, in small steps; several workers may do so at once. */
export async function removeOld({ db, log, config }: Services): Promise<void> {
  const removed = { attempts: await removeOldAttempts(db, attemptRetentionDays), deliveries: 0, events: 0, secrets: await removeExpiredSecrets(db) }
  for (const { id } of await listPartners(db)) {
    // First: a delivery has its body from its event.
    removed.deliveries += await removeOldDeliveries(db, id, config.eventRetentionDays)
    removed.events += await removeOldEvents(db, id, config.eventRetentionDays)
  }
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'what is old was removed')
}
