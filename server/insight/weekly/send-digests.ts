import { enqueueMail } from '../../accounts/mail/mailer.ts'
import { sendJobs } from '../../jobs/send-store.ts'
import { dayMs } from '../../values/units.ts'
import { addDays } from '../../values/zone.ts'
import { listDigestReaders, takeDigest } from './digest-store.ts'
import { digestDue, digestMail, hasNews } from './digest.ts'
import { type WeekDeps, readWeek } from './read-week.ts'
import { weekOf } from './week.ts'

// Maximum age of a digest job. Later, the week is half over, and the digest is not worth sending.
const usefulMs = 2 * dayMs

/** Sends a job for each reader whose digest is due: on Monday morning, or later if no worker ran then. */
export async function sendDueDigests({ db }: Pick<WeekDeps, 'db'>, now: Date): Promise<void> {
  const due = (await listDigestReaders(db)).filter(
    ({ zone, sentOn }) => digestDue(now, zone, sentOn) !== null,
  )
  await sendJobs(
    db.$client,
    'digest',
    due.map(({ userId, partnerId }) => ({ data: { userId }, key: userId, group: partnerId })),
  )
}

/** Mails a reader the digest of the previous week once, unless nothing changed. */
export async function sendDigest(
  deps: Omit<WeekDeps, 'config'> & {
    encryptionKey: Buffer
    config: { publicUrl: string; eventRetentionDays: number }
  },
  userId: number,
  now: Date,
): Promise<void> {
  const { db, config, encryptionKey } = deps
  const [reader] = await listDigestReaders(db, userId)
  if (reader === undefined) return
  const { email, partnerId, zone, sentOn } = reader
  const monday = digestDue(now, zone, sentOn)
  if (monday === null) return
  const report = await readWeek(deps, partnerId, weekOf(addDays(monday, -7)), zone, now)
  const mail = digestMail(report, { publicUrl: config.publicUrl, encryptionKey }, userId)
  await db.transaction(async (tx) => {
    if ((await takeDigest(tx, userId, monday)) && hasNews(report))
      await enqueueMail(tx, encryptionKey, email, mail, usefulMs)
  })
}
