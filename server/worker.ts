import { listPartners } from './accounts/store.ts'
import { renderOldDeals } from './deals/deal-writer.ts'
import { removeOldEvents } from './deals/retention-store.ts'
import { startSignsOfLife } from './health/sign-of-life.ts'
import { directoryOf } from './imports/import-files.ts'
import { removeOldImports } from './imports/remove-old.ts'
import type { Services } from './services.ts'
import { removeOldTokenDays } from './tokens/usage-store.ts'
import { warnOfExpiry } from './tokens/warn-expiry.ts'
import { startCourier } from './webhooks/courier.ts'
import type { Recorded, SwitchedOff } from './webhooks/queue-store.ts'
import { removeExpiredSecrets, removeOldAttempts, removeOldDeliveries } from './webhooks/retention-store.ts'
import { tellSwitchedOff } from './webhooks/tell-switched-off.ts'

/** What goes on in the background: deliveries, the removal of what is old, and warnings of tokens that expire. */
export interface Worker {
  /** Waits for the deliveries that are underway, for a few seconds at most. */
  stop(): Promise<void>
}

// An address on which everything failed for so long is switched off.
const failingMs = 5 * 24 * 60 * 60 * 1000

const attemptRetentionDays = 30

const tokenDayRetentionDays = 400

const hourMs = 60 * 60 * 1000

// How long deliveries that are underway may take to end when the process is told to stop.
const graceMs = 5000

/** Starts the worker of this process. */
export function startWorker(services: Services): Worker {
  const { db, queue, log, sealingKey, webhooks, config, metrics, traces } = services
  const attempted = (result: Recorded) => {
    metrics?.attempt(result.state)
    traces?.attempt(result)
  }
  const switchedOff = (endpoints: SwitchedOff[]) => services.background(tellSwitchedOff({ ...services, publicUrl: config.publicUrl }, endpoints))
  const courier = startCourier(queue, { ...webhooks, sealingKey, leaseMs: config.webhookLeaseMs, failingMs, log, attempted, switchedOff })
  const keepHouse = () => {
    services.background(removeOld(services))
    services.background(warnOfExpiry({ db, mailer: services.mailer, publicUrl: config.publicUrl }))
  }
  const signsOfLife = startSignsOfLife(db, services.background)
  let isStopping = false
  const housekeeping = setInterval(() => {
    keepHouse()
    // A process of an older version that still ran may have written deals since the start.
    services.background(upgradeDeals(services, () => isStopping))
  }, hourMs)
  keepHouse()
  return {
    async stop() {
      isStopping = true
      clearInterval(housekeeping)
      await courier.stop(graceMs)
      signsOfLife.stop()
    },
  }
}

/** Renders the deals again that an older version wrote; ends early once `isStopping`. */
export async function upgradeDeals({ db, log }: Services, isStopping: () => boolean): Promise<void> {
  const deals = await renderOldDeals(db, isStopping)
  if (deals > 0) log.info({ deals }, 'rendered deals of an older version again')
}

/** Removes what is kept no longer, in small steps; several workers may do so at once. */
export async function removeOld({ db, log, config }: Services): Promise<void> {
  const removed = { attempts: await removeOldAttempts(db, attemptRetentionDays), deliveries: 0, events: 0, secrets: await removeExpiredSecrets(db), tokenDays: await removeOldTokenDays(db, tokenDayRetentionDays), importFiles: await removeOldImports(db, directoryOf(config.dataDir)) }
  for (const { id } of await listPartners(db)) {
    // First: a delivery has its body from its event.
    removed.deliveries += await removeOldDeliveries(db, id, config.eventRetentionDays)
    removed.events += await removeOldEvents(db, id, config.eventRetentionDays)
  }
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'what is old was removed')
}
