import type { Database } from '#db/client.ts'
import { retryWaitMs } from '../accounts/mail-problem.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { restAfter } from '../admission/scheduling.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { sendJob } from '../jobs/send-store.ts'
import { fanOutAssignments } from './assignment-store.ts'
import { readContent, recordRejection, recordResult, takeMessage } from './delivery-store.ts'
import { fanOutDay, fanOutEvents, fanOutNoLongerLate, findEndedDays } from './fan-out-store.ts'
import type { ChannelSender, Channel } from './notification.ts'

/** Notifies users of a partner's next events. */
export const notifyOfEvents = (db: Database, partnerId: PartnerId): Promise<void> =>
  notifyInSteps(db, partnerId, 'notify-of-events', fanOutEvents)

/** Notifies users of assignments of a partner's deals. */
export const notifyOfAssignments = (db: Database, partnerId: PartnerId): Promise<void> =>
  notifyInSteps(db, partnerId, 'notify-of-assignments', fanOutAssignments)

/**
 * Performs one step. If there may be more work, pauses and sends another job, so that other partners get
 * their turn.
 */
async function notifyInSteps(
  db: Database,
  partnerId: PartnerId,
  kind: 'notify-of-events' | 'notify-of-assignments',
  step: (db: Database, partnerId: PartnerId) => Promise<boolean>,
): Promise<void> {
  const startedAt = performance.now()
  if (!(await step(db, partnerId))) return
  await restAfter(performance.now() - startedAt)
  await sendJob(db.$client, kind, { data: { partnerId }, group: partnerId })
}

/**
 * Notifies readers of a partner's deals that are late, have a step planned for the next day, or are no longer
 * late.
 */
export async function notifyOfDays(db: Database, partnerId: PartnerId, now: Date): Promise<void> {
  for (const ended of await findEndedDays(db, partnerId, now)) await fanOutDay(db, partnerId, ended, now)
  await fanOutNoLongerLate(db, partnerId)
}

type Channels = Partial<Record<Channel, ChannelSender>>

// The last attempt is after about three days.
const attemptsMax = 10

/**
 * Sends a message unless it was already sent.
 * @throws RetryLaterError if it has to be tried again @system the worker
 */
export async function sendMessage(
  { db, channels }: { db: Database; channels: Channels },
  channel: Channel,
  id: number,
): Promise<void> {
  const message = await takeMessage(db, id)
  if (message === null) return
  const content = await readContent(db, message)
  const sender = channels[channel]
  if (content === undefined || sender === undefined)
    return recordResult(db, { id, isSent: false, problem: null, waitMs: null })
  const { targetId, userId, attempts } = message
  const failure = await sender.send({ id, targetId, ...content })
  if (failure === null) return recordResult(db, { id, isSent: true, problem: null, waitMs: null })
  const { problem, isPermanent, isRecipientGone } = failure
  const isOver = isPermanent || isRecipientGone || attempts >= attemptsMax
  const waitMs = isOver ? null : retryWaitMs(attempts, new Date(0), new Date(8.64e15))
  if (isRecipientGone && channel === 'mail') await recordRejection(db, userId, problem)
  await recordResult(db, { id, isSent: false, problem, waitMs })
  if (waitMs !== null) throw new RetryLaterError(problem, waitMs)
}
