import { setTimeout as sleep } from 'node:timers/promises'
import { everyone } from '../access/actor.ts'
import { listPartners } from '../accounts/store.ts'
import { listReaders } from '../accounts/user-store.ts'
import { addressTotals } from '../data-quality/store.ts'
import { mapTotals } from '../deals/map/map-store.ts'
import { valueTotals } from '../deals/overview-store.ts'
import { renderOldDeals, renewStatuses } from '../deals/render-old-store.ts'
import { removeOldEvents } from '../deals/retention-store.ts'
import { renewTotals, warmTotals } from '../deals/totals/read-totals.ts'
import { aheadMs, unreadMs } from '../deals/totals/totals.ts'
import { removeOldUploads } from '../files/uploads/remove-uploads.ts'
import { removeOldHours } from '../health/hour-store.ts'
import { hourRetentionDays } from '../health/policy.ts'
import { importStoragesOf } from '../imports/files/make-storages.ts'
import { removeLeftRuns } from '../imports/files/remove-left-runs.ts'
import { aliveMs } from '../imports/import.ts'
import { removeOldImports } from '../imports/remove-old.ts'
import { flowTotals, sliceTotals } from '../insight/flow/store.ts'
import { moneyTotals } from '../insight/money/store.ts'
import { scorecardTotals } from '../insight/scorecard/store.ts'
import { overviewTotals } from '../insight/store.ts'
import { slicedTrendTotals, trendTotals } from '../insight/trends/store.ts'
import { waitingTotals } from '../insight/weekly/store.ts'
import { notificationRetentionDays } from '../notifications/policy.ts'
import { removeOldNotifications } from '../notifications/retention-store.ts'
import { partnerTotals } from '../partners/totals-store.ts'
import { removeEndedWindows } from '../tokens/rate-store.ts'
import { removeOldTokenDays } from '../tokens/usage-store.ts'
import { attemptRetentionDays } from '../webhooks/policy.ts'
import { removeExpiredSecrets, removeOldAttempts, removeOldDeliveries } from '../webhooks/retention-store.ts'
import type { Services } from './services.ts'

const tokenDayRetentionDays = 400

/** Re-renders deals written by an older version; stops early once `isStopping`. */
export async function upgradeDeals(
  { db, log }: Pick<Services, 'db' | 'log'>,
  isStopping: () => boolean,
): Promise<void> {
  const deals = await renderOldDeals(db, isStopping)
  if (deals > 0) log.info({ deals }, 're-rendered deals of an older version')
}

/** Updates the status of deals whose date has passed or whose stage has a new meaning. */
export async function updateStatuses(
  { db, log }: Pick<Services, 'db' | 'log'>,
  isStopping: () => boolean,
): Promise<void> {
  const deals = await renewStatuses(db, isStopping)
  if (deals > 0) log.debug({ deals }, 'renewed the status of deals')
}

/** Totals of pages, most frequently opened first. */
const pageTotals = [
  overviewTotals,
  valueTotals,
  moneyTotals,
  waitingTotals,
  flowTotals,
  trendTotals,
  mapTotals,
  scorecardTotals,
  ...Object.values(sliceTotals),
  ...Object.values(slicedTrendTotals),
]

const wakeMs = 250

/**
 * Returns a job that recomputes changed totals of long lists, removes unread ones, and precomputes likely
 * ones. It takes at most a tenth of its time.
 */
export function makeRenewal(
  { db, replica }: Pick<Services, 'db' | 'replica'>,
  isStopping: () => boolean,
  pause: (ms: number) => Promise<unknown> = sleep,
): () => Promise<void> {
  const means = { db, replica, everyone }
  const rest = async (ms: number) => {
    for (let left = ms; left > 0 && !isStopping(); left -= wakeMs) await pause(Math.min(wakeMs, left))
    return !isStopping()
  }
  let aheadAt = -Infinity
  return async () => {
    await renewTotals(means, [...pageTotals, addressTotals, partnerTotals], rest)
    if (performance.now() - aheadAt < aheadMs) return
    aheadAt = performance.now()
    const since = new Date(Date.now() - unreadMs)
    await warmTotals(means, pageTotals, await listReaders(db, since), rest)
  }
}

/** Removes leftovers of killed processes' imports on this machine, once they count as interrupted. */
export function removeLeftSoon({ db, config, log, background }: Services): NodeJS.Timeout {
  const { directory } = importStoragesOf({ config, storages: { imports: null }, log })
  return setTimeout(() => background('timer', 'left runs', () => removeLeftRuns(db, directory)), 2 * aliveMs)
}

type RemovalServices = Pick<Services, 'db' | 'log' | 'config' | 'storages'>

/** The pause after a batch as a multiple of its duration, which leaves the rest to deliveries and pages. */
const restFactor = 4
const restMaxMs = 1000

/**
 * Deletes data past its retention, in small batches with pauses between them, until `isStopping`; several
 * workers may run it at once.
 */
export async function removeOld(
  { db, log, config, storages }: RemovalServices,
  isStopping: () => boolean,
): Promise<void> {
  const rest = async (tookMs: number) => {
    await sleep(Math.min(restFactor * tookMs, restMaxMs))
    return !isStopping()
  }
  const removed = {
    attempts: await removeOldAttempts(db, attemptRetentionDays, rest),
    deliveries: 0,
    events: 0,
    healthHours: await removeOldHours(db, hourRetentionDays),
    secrets: await removeExpiredSecrets(db),
    tokenDays: await removeOldTokenDays(db, tokenDayRetentionDays),
    uploads: 0,
    importFiles: 0,
    notifications: await removeOldNotifications(db, notificationRetentionDays, rest),
  }
  await removeEndedWindows(db)
  for (const { id } of await listPartners(db)) {
    if (isStopping()) break
    // Deliveries first, because they reference event bodies.
    removed.deliveries += await removeOldDeliveries(db, id, config.eventRetentionDays, rest)
    removed.events += await removeOldEvents(db, id, config.eventRetentionDays, rest)
  }
  // Last, because a store may be down.
  if (!isStopping()) {
    removed.uploads = await removeOldUploads(db, storages)
    removed.importFiles = await removeOldImports(db, importStoragesOf({ config, storages, log }))
  }
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'retention cleanup finished')
}
