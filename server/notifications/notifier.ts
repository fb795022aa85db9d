import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { retryWaitMs } from '../accounts/mail/mail-problem.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { causeOf } from '../protocol/errors.ts'
import { minuteMs, secondMs } from '../protocol/units.ts'
import { withTimeout } from '../protocol/with-timeout.ts'
import { fanOutAssignments } from './assignment-store.ts'
import type { ChannelSender } from './channels/channel.ts'
import { readContent, recordRejection, recordResult, takeMessage } from './delivery-store.ts'
import {
  fanOutDay,
  fanOutEvents,
  fanOutFiles,
  fanOutNoLongerLate,
  findEndedDays,
  findPartnersWithNews,
} from './fan-out-store.ts'
import type { Channel } from './notification.ts'

interface NotifierDeps {
  /** Over connections of its own, so that a burst costs others none. */
  db: Database
  log: Logger
  /** The channels that are set up; messages of others are not sent. */
  channels: Partial<Record<Channel, ChannelSender>>
}

/** Turns what happens to deals into notifications. */
export interface Notifier {
  /** Waits for the messages in progress, at most `graceMs`; others may send them again after their leases. */
  stop(graceMs: number): Promise<void>
}

const newsMs = secondMs
const daysMs = minuteMs

// After each step others have the database for four times as long.
const restFactor = 4
const restMaxMs = secondMs

/** Starts to notify users. Several processes may do so on the same database. */
export function startNotifier({ db, log }: Pick<NotifierDeps, 'db' | 'log'>): Notifier {
  let isStopping = false
  const loops = [
    repeat(newsMs, () => fanOut(db, () => isStopping)),
    repeat(daysMs, () => fanOutDays(db, () => isStopping)),
  ]

  async function repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!isStopping) {
      await work().catch((error: unknown) => {
        if (!isStopping) log.error({ error: causeOf(error) }, 'failed to notify users')
      })
      for (let left = pauseMs; left > 0 && !isStopping; left -= wakeMs) await sleep(Math.min(wakeMs, left))
    }
  }

  return {
    async stop(graceMs) {
      isStopping = true
      await withTimeout(Promise.all(loops), graceMs, () => undefined)
    },
  }
}

const wakeMs = 100

/** Turns events, files and assignments into notifications: a step of each partner in turn, until there are none. */
export async function fanOut(db: Database, isStopping: () => boolean = () => false): Promise<void> {
  let pending = await findPartnersWithNews(db)
  const failures: unknown[] = []
  while (pending.length > 0 && !isStopping()) {
    const unfinished: typeof pending = []
    for (const partnerId of pending) {
      if (isStopping()) return
      try {
        if (await resting(() => fanOutEvents(db, partnerId))) unfinished.push(partnerId)
      } catch (error) {
        // It stops no other partner.
        failures.push(error)
      }
    }
    pending = unfinished
  }
  while (!isStopping() && (await resting(() => fanOutFiles(db))));
  while (!isStopping() && (await resting(() => fanOutAssignments(db))));
  if (failures.length > 0) throw failures[0]
}

/** Does a step, and rests when there are more. */
async function resting(step: () => Promise<boolean>): Promise<boolean> {
  const startedAt = performance.now()
  const isMore = await step()
  if (isMore) await sleep(Math.min(restFactor * (performance.now() - startedAt), restMaxMs))
  return isMore
}

/** Notifies users of what the passing of days brings. */
async function fanOutDays(db: Database, isStopping: () => boolean): Promise<void> {
  const now = new Date()
  for (const ended of await findEndedDays(db, now)) {
    if (isStopping()) return
    await fanOutDay(db, ended, now)
  }
  await fanOutNoLongerLate(db)
}

// In about three days.
const attemptsMax = 10

/** Sends a message, if it is due and not sent yet. @throws RetryLaterError if it has to be tried again */
export async function sendMessage(
  { db, channels }: Pick<NotifierDeps, 'db' | 'channels'>,
  channel: Channel,
  id: number,
): Promise<void> {
  const message = await takeMessage(db, id)
  if (message === null) return
  const content = await readContent(db, message)
  const [deal, ...others] = content?.deals ?? []
  const sender = channels[channel]
  if (content === undefined || deal === undefined || sender === undefined)
    return recordResult(db, { id, isSent: false, problem: null, waitMs: null })
  const { targetId, userId, attempts } = message
  const failure = await sender.send({ id, targetId, user: content.user, deals: [deal, ...others] })
  if (failure === null) return recordResult(db, { id, isSent: true, problem: null, waitMs: null })
  const { problem, isPermanent, isRecipientGone } = failure
  const isOver = isPermanent || isRecipientGone || attempts >= attemptsMax
  const waitMs = isOver ? null : retryWaitMs(attempts, new Date(0), new Date(8.64e15))
  if (isRecipientGone && channel === 'mail') await recordRejection(db, userId, problem)
  await recordResult(db, { id, isSent: false, problem, waitMs })
  if (waitMs !== null) throw new RetryLaterError(problem, waitMs)
}
