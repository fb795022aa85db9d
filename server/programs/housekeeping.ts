import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#db/client.ts'
import { removeOldMails } from '../accounts/mail-store.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { listPartners } from '../accounts/store.ts'
import { listReaders } from '../accounts/user-store.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { restAfter } from '../admission/scheduling.ts'
import { addressTotals } from '../data-quality/store.ts'
import { removeOldEvents } from '../deals/removal-store.ts'
import { renderOldDeals, renewStatuses } from '../deals/render-old-store.ts'
import { sendUploadRemovals } from '../files/remove-unnamed.ts'
import { removeOldHours } from '../health/hour-store.ts'
import { hourRetentionDays } from '../health/policy.ts'
import { aliveMs } from '../imports/import.ts'
import { importStoragesOf } from '../imports/make-storages.ts'
import { removeLeftRuns, removeOldImports } from '../imports/remove-old.ts'
import { flowTotals, sliceTotals } from '../insight/flow-store.ts'
import { offersTotals, homeTotals } from '../insight/home-store.ts'
import { moneyTotals } from '../insight/money-store.ts'
import { scorecardTotals } from '../insight/scorecard-store.ts'
import { slicedTrendTotals, trendTotals } from '../insight/trends-store.ts'
import type { JobData } from '../jobs/kinds.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { removeOldNotifications } from '../notifications/delivery-store.ts'
import { notificationRetentionDays } from '../notifications/policy.ts'
import { partnerTotals } from '../partners/totals-store.ts'
import type { Services } from '../runtime/services.ts'
import { mapTotals } from '../search/map-store.ts'
import { valueTotals } from '../search/overview-store.ts'
import { countOutdated, renewTotals, warmTotals } from '../search/read-totals.ts'
import { unreadMs, workerRestMs } from '../search/totals-store.ts'
import { removeEndedWindows } from '../tokens/rate-store.ts'
import { removeOldTokenDays } from '../tokens/usage-store.ts'
import { attemptRetentionDays } from '../webhooks/policy.ts'
import { removeExpiredSecrets, removeOldAttempts, removeOldDeliveries } from '../webhooks/retention-store.ts'

const tokenDayRetentionDays = 400

/** Re-renders deals written by an older version. Stops early if aborted. */
export async function upgradeDeals(
  { db, log }: Pick<Services, 'db' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const deals = await renderOldDeals(db, () => signal.aborted)
  if (deals > 0) log.info({ deals }, 're-rendered deals of an older version')
}

/** Updates the status of deals after a date has passed or a stage has changed. */
export async function updateStatuses(
  { db, log }: Pick<Services, 'db' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const deals = await renewStatuses(db, () => signal.aborted)
  if (deals > 0) log.debug({ deals }, 'renewed the status of deals')
}

/** Totals of the portal pages, most frequently opened first. */
const pageTotals = [
  homeTotals,
  offersTotals,
  valueTotals,
  moneyTotals,
  flowTotals,
  trendTotals,
  mapTotals,
  scorecardTotals,
  ...Object.values(sliceTotals),
  ...Object.values(slicedTrendTotals),
]

const allTotals = [...pageTotals, addressTotals, partnerTotals]

/** Sends jobs that recompute outdated totals of long lists, and deletes unused totals. */
export const renewPageTotals = (db: Database): Promise<void> => renewTotals(db, allTotals)

/** Sends jobs that compute missing totals of long lists. */
export const warmPageTotals = async (db: Database): Promise<void> =>
  warmTotals(db, pageTotals, await listReaders(db, new Date(Date.now() - unreadMs)))

/** Computes a list's totals. Unless a reader is waiting, then rests nine times as long as that took. */
export async function countPageTotals(
  services: Pick<Services, 'db' | 'replica'>,
  tenant: TenantScope,
  { kind: name, zone, isFor }: JobData['count-totals'],
  signal: AbortSignal,
): Promise<void> {
  const kind = allTotals.find((totals) => totals.name === name)
  // The job was sent by an older version, and this kind of totals no longer exists.
  if (kind === undefined) return
  const startedAt = performance.now()
  await countOutdated(services, kind, { tenant, zone: toZone(zone) }, isFor)
  const restMs = workerRestMs(performance.now() - startedAt)
  if (isFor !== 'reader') await sleep(restMs, undefined, { signal }).catch(() => {})
}

/**
 * Removes files that killed processes on this machine left behind, once their imports count as interrupted.
 */
export function removeLeftSoon({ db, config, storages, log, background }: Services): NodeJS.Timeout {
  const { directory } = importStoragesOf({ config, storages, log })
  return setTimeout(() => background('timer', 'left runs', () => removeLeftRuns(db, directory)), 2 * aliveMs)
}

type RemovalServices = Pick<Services, 'db' | 'log' | 'config' | 'storages'>

/** Pauses after a batch. Returns false if the work should end. */
const restBetween = (signal: AbortSignal) => (tookMs: number) =>
  restAfter(tookMs, signal).then(() => !signal.aborted)

/** Deletes rows past their retention in small batches, and sends jobs that do the same for each partner. */
export async function removeOld(
  { db, log }: Pick<Services, 'db' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const rest = restBetween(signal)
  const partners = await listPartners(db)
  await sendJobs(
    db.$client,
    'remove-old-events',
    partners.map(({ id }) => ({ data: { partnerId: id }, key: id })),
  )
  await removeEndedWindows(db)
  await removeOldMails(db)
  logRemoved(log, {
    attempts: await removeOldAttempts(db, attemptRetentionDays, rest),
    healthHours: await removeOldHours(db, hourRetentionDays),
    secrets: await removeExpiredSecrets(db),
    tokenDays: await removeOldTokenDays(db, tokenDayRetentionDays),
    notifications: await removeOldNotifications(db, notificationRetentionDays, rest),
  })
}

/** Deletes a partner's deliveries and events past their retention. */
export async function removeOldOfPartner(
  { db, log, config }: Pick<Services, 'db' | 'log' | 'config'>,
  partnerId: PartnerId,
  signal: AbortSignal,
): Promise<void> {
  const rest = restBetween(signal)
  logRemoved(log, {
    // Deleted first, because deliveries reference event bodies.
    deliveries: await removeOldDeliveries(db, partnerId, config.eventRetentionDays, rest),
    events: await removeOldEvents(db, partnerId, config.eventRetentionDays, rest),
  })
}

/** Removes files of old imports, and sends jobs that remove abandoned uploads. */
export async function removeOldFiles({ db, log, config, storages }: RemovalServices): Promise<void> {
  await sendUploadRemovals(db)
  logRemoved(log, {
    importFiles: await removeOldImports(db, importStoragesOf({ config, storages, log })),
  })
}

function logRemoved(log: Services['log'], removed: Record<string, number>): void {
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'retention cleanup finished')
}
