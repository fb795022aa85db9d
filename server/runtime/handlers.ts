import type { PartnerId } from '../accounts/partner.ts'
import { findGrownPartners, updateUsualZone } from '../deals/usual-zone-store.ts'
import { sweepDaily } from '../files/remove-unnamed.ts'
import { recordLag } from '../health/hour-store.ts'
import type { JobHandlers } from '../jobs/attempt-job.ts'
import { sendJobs } from '../jobs/send-store.ts'
import {
  removeOld,
  removeOldFiles,
  removeOldOfPartner,
  renewPageTotals,
  updateStatuses,
  upgradeDeals,
  warmPageTotals,
} from './housekeeping.ts'
import type { Services } from './services.ts'

/** Returns the partner that a job is for: whoever sent it had its id. */
const partnerOf = (job: { partnerId: number }) => job.partnerId as PartnerId

/** Returns the handler of each kind of job. A handler does one thing for one target. */
export function makeHandlers(services: Services): JobHandlers {
  const { db } = services
  return {
    'record-lag': () => recordLag(db),
    'update-statuses': (_, { signal }) => updateStatuses(services, signal),
    'upgrade-deals': (_, { signal }) => upgradeDeals(services, signal),
    'renew-totals': (_, { signal }) => renewPageTotals(services, signal),
    'warm-totals': (_, { signal }) => warmPageTotals(services, signal),
    'find-grown-partners': async () => {
      const grown = await findGrownPartners(db)
      const jobs = grown.map((partnerId) => ({ data: { partnerId }, group: partnerId }))
      await sendJobs(db.$client, 'update-usual-zone', jobs)
    },
    'update-usual-zone': (job) => updateUsualZone(db, partnerOf(job)),
    'sweep-contents': (_, { signal }) => sweepDaily(services, () => signal.aborted),
    'remove-old': (_, { signal }) => removeOld(services, signal),
    'remove-old-events': (job, { signal }) => removeOldOfPartner(services, partnerOf(job), signal),
    'remove-old-uploads': () => removeOldFiles(services),
  }
}
