import { everyone } from '../access/actor.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { listOfAll, findGrownPartners, updateUsualZone } from '../deals/list-store.ts'
import { sweepDaily, removeOldUpload } from '../files/remove-unnamed.ts'
import { recordLag } from '../health/hour-store.ts'
import { importStoragesOf } from '../imports/make-storages.ts'
import { continueImport } from '../imports/run-import.ts'
import { sendDigest, sendDueDigests } from '../insight/week.ts'
import type { JobHandlers } from '../jobs/attempt-job.ts'
import { sendJobs, sendMissingJobs } from '../jobs/send-store.ts'
import { findLateQuestions, mailQuestions, remindOfQuestion } from '../messages/mail-messages.ts'
import { fanOutFiles, sendDayJobs } from '../notifications/fan-out-store.ts'
import { makeMailChannel } from '../notifications/mail-channel.ts'
import { notifyOfAssignments, notifyOfDays, notifyOfEvents, sendMessage } from '../notifications/notifier.ts'
import { postNews } from '../notifications/post-news.ts'
import { makePushChannel } from '../notifications/push-channel.ts'
import type { Services } from '../runtime/services.ts'
import { followSource } from '../sources/follow-source.ts'
import { sendExpiryWarnings, warnOfExpiry } from '../tokens/warn-expiry.ts'
import { notifySwitchedOff } from '../webhooks/notify-switched-off.ts'
import {
  countPageTotals,
  removeOld,
  removeOldFiles,
  removeOldOfPartner,
  renewPageTotals,
  updateStatuses,
  upgradeDeals,
  warmPageTotals,
} from './housekeeping.ts'

/** Returns the partner of a job. Safe, because the sender of the job had this partner id. */
const partnerOf = (job: { partnerId: number }) => job.partnerId as PartnerId

/** Returns the tenant of a job's list. Safe, because the sender of the job had this list id. */
const tenantOf = ({ listId }: { listId: number }) => (listId === listOfAll ? everyone : (listId as PartnerId))

/** Returns the handlers of all kinds of jobs. */
export function makeHandlers(services: Services): JobHandlers {
  const { db, mailer, config } = services
  const mailing = { db, mailer, publicUrl: config.publicUrl }
  return {
    ...makeNewsHandlers(services),
    'notify-switched-off': (job) => notifySwitchedOff(mailing, partnerOf(job), job),
    'find-expiring-tokens': () => sendExpiryWarnings(db),
    'warn-of-expiry': (job) => warnOfExpiry(mailing, partnerOf(job)),
    'read-source': ({ sourceId }, { signal }) =>
      followSource(
        { ...services, hubspotUrl: config.hubspotUrl, scanCommand: config.fileScanCommand },
        sourceId,
        signal,
      ),
    'run-import': ({ importId }, { signal }) =>
      continueImport(db, importStoragesOf(services), importId, signal),
    'send-missing-jobs': () => sendMissingJobs(db.$client, mailer !== null),
    'record-lag': () => recordLag(db),
    'update-statuses': (_, { signal }) => updateStatuses(services, signal),
    'upgrade-deals': (_, { signal }) => upgradeDeals(services, signal),
    'renew-totals': () => renewPageTotals(db),
    'warm-totals': () => warmPageTotals(db),
    'count-totals': (job, { signal }) => countPageTotals(services, tenantOf(job), job, signal),
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
    'remove-upload': ({ uploadId }) => removeOldUpload(db, services.storages, uploadId),
  }
}

/** Returns the handlers of jobs that notify people. */
function makeNewsHandlers(services: Services) {
  const { db, notices, mailer, webhooks, encryptionKey, config } = services
  const hasMail = mailer !== null
  const channels = makeChannels(services)
  const mailing = { db, encryptionKey, publicUrl: config.publicUrl }
  return {
    // If there is no mail server, mail waits until it expires.
    mail: async ({ mailId }) => mailer?.sendStored(mailId),
    'notification-mail': ({ deliveryId }) => sendMessage({ db: notices, channels }, 'mail', deliveryId),
    'notification-push': ({ deliveryId }) => sendMessage({ db: notices, channels }, 'push', deliveryId),
    'team-post': ({ channelId }) =>
      postNews({ ...mailing, db: notices, safeFetch: webhooks.safeFetch }, channelId),
    'notify-of-events': (job) => notifyOfEvents(notices, partnerOf(job)),
    'notify-of-files': (job) => fanOutFiles(notices, partnerOf(job), job.fileIds),
    'notify-of-assignments': (job) => notifyOfAssignments(notices, partnerOf(job)),
    'find-ended-days': () => sendDayJobs(notices, new Date()),
    'notify-of-days': (job) => notifyOfDays(notices, partnerOf(job), new Date()),
    // If there is no mail server, messages wait.
    'question-mail': async ({ threadId }) => hasMail && mailQuestions(mailing, threadId),
    'find-late-questions': async () => hasMail && findLateQuestions(db),
    'question-reminder': async ({ threadId }) => hasMail && remindOfQuestion(mailing, threadId),
    'send-due-digests': async () => hasMail && sendDueDigests(services, new Date()),
    digest: ({ userId }) => sendDigest(services, userId, new Date()),
  } satisfies Partial<JobHandlers>
}

/** Returns the configured channels to users. */
function makeChannels({ notices: db, mailer, webhooks, config: { publicUrl }, encryptionKey }: Services) {
  const mail = mailer === null ? {} : { mail: makeMailChannel({ ...mailer, publicUrl, encryptionKey }) }
  return { ...mail, push: makePushChannel({ db, safeFetch: webhooks.safeFetch, encryptionKey, publicUrl }) }
}
