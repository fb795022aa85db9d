import { type Mailer, enqueueMail } from '../../accounts/mail/mailer.ts'
import { dayMs } from '../../protocol/units.ts'
import { addDays } from '../../protocol/zone.ts'
import { listDigestReaders, takeDigest } from './digest-store.ts'
import { digestDue, digestMail, hasNews } from './digest.ts'
import { type WeekDeps, readWeek } from './read-week.ts'
import { weekOf } from './week.ts'
import type { WeekReport } from './wire.ts'

// By then the week is half over.
const usefulMs = 2 * dayMs

/** Sends each reader the digest of the previous week, once, on Monday morning, unless there is no news. */
export async function sendDigests(
  deps: Omit<WeekDeps, 'config'> & {
    /** Null without a mail server. */
    mailer: Mailer | null
    encryptionKey: Buffer
    config: { publicUrl: string; eventRetentionDays: number }
  },
  now: Date,
): Promise<void> {
  const { db, mailer, config, encryptionKey } = deps
  if (mailer === null) return
  const reports = new Map<string, Promise<WeekReport>>()
  for (const { userId, email, partnerId, zone, sentOn } of await listDigestReaders(db)) {
    const monday = digestDue(now, zone, sentOn)
    if (monday === null) continue
    const key = `${partnerId} ${zone}`
    const reading = reports.get(key) ?? readWeek(deps, partnerId, weekOf(addDays(monday, -7)), zone, now)
    reports.set(key, reading)
    const report = await reading
    await db.transaction(async (tx) => {
      if ((await takeDigest(tx, userId, monday)) && hasNews(report))
        await enqueueMail(tx, encryptionKey, email, digestMail(report, config.publicUrl), usefulMs)
    })
  }
}
