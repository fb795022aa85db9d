import type { Database } from '#db/client.ts'
import { enqueueMail } from '../accounts/mailer.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { fieldOf } from '../deals/milestone.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { countDeals } from '../search/count-store.ts'
import { type TotalsDeps, readOrCountTotals } from '../search/read-totals.ts'
import type { ZonedTenant } from '../search/totals-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { dayMs, tallyOf } from '../values/units.ts'
import { addDays, type Zone, dayOf, mondayOf } from '../values/zone.ts'
import { listDigestReaders, takeDigest } from './digest-store.ts'
import { digestDue, digestMail, hasNews } from './digest.ts'
import { homeTotals } from './home-store.ts'
import { counterOf, undatedOf } from './home.ts'
import { readMoney } from './money-store.ts'
import { weekOf, mondayOfWeek, displayedMonday } from './periods.ts'
import { readNewsLines } from './read-home.ts'
import {
  type WeekCount,
  type MovedFigure,
  type MovedName,
  type WeekReport,
  lateNames,
  movedNames,
} from './wire.ts'

const linesMax = 10
const expectedPeriods = new Set(['overdue', 'thisWeek', 'nextWeek'])

export interface WeekDeps extends TotalsDeps {
  db: Database
  config: { eventRetentionDays: number }
}

/**
 * Returns a week of the tenant's deals, with days in the zone. By default, returns the week to show at `now`.
 */
export async function readWeek(
  deps: WeekDeps,
  { tenant, zone }: ZonedTenant,
  week: string | null,
  now: Date,
): Promise<WeekReport> {
  const today = dayOf(now, zone)
  const from = (week === null ? null : mondayOfWeek(week)) ?? displayedMonday(today)
  const days = { from, to: addDays(from, 6) }
  const isKept = from > addDays(today, -deps.config.eventRetentionDays)
  const [home, money, stages, lines] = await Promise.all([
    readOrCountTotals(deps, homeTotals, { tenant, zone }, now),
    readMoney(deps, { tenant, zone }, now),
    readStages(deps.db, tenant),
    isKept ? readNewsLines(deps.db, { tenant, zone, user: null }, {}, days, linesMax) : [],
  ])
  const counted = home.totals.weeks.find((each) => each.from === from)
  const moved = await Promise.all(
    movedNames
      .filter((name) => isKept || !isNews(name))
      .map((name) => countMoved(deps.db, tenant, name, filterOf(name, days), counted, zone)),
  )
  const stageOf = makeStageOf(stages)
  const times = [home.asOf, money.asOf]
  return {
    week: weekOf(from),
    ...days,
    previous: weekOf(addDays(from, -7)),
    next: from >= mondayOf(today) ? null : weekOf(addDays(from, 7)),
    today,
    asOf: times.filter((time) => typeof time === 'string').toSorted()[0] ?? null,
    isKept,
    dealCount: tallyOf(home.totals.groups).count,
    moved,
    undated: undatedOf(home.totals, stageOf).filter(({ name }) => name !== 'notCreated'),
    lines,
    late: lateNames.map(counterOf(home.totals, stageOf)).filter(({ count }) => count > 0),
    holds: money.holds,
    expected: money.expected.filter(({ period }) => expectedPeriods.has(period)),
    notExpected: money.notExpected,
  }
}

/** Returns whether this figure can only be computed from events, which expire. */
const isNews = (name: MovedName): name is 'new' | 'moved' => name === 'new' || name === 'moved'

function filterOf(name: MovedName, days: { from: string; to: string }): DealFilter {
  if (isNews(name)) return { news: { [name]: days } }
  return { dates: { [fieldOf(name === 'installed' ? 'install' : 'funding', 'end')]: days } }
}

async function countMoved(
  db: Database,
  tenant: TenantScope,
  name: MovedName,
  filter: DealFilter,
  known: WeekCount | undefined,
  zone: Zone,
): Promise<MovedFigure> {
  // Stored totals are exact for any number of deals.
  if (known !== undefined && !isNews(name)) return { name, count: known[name], isMore: false, filter }
  const { count, isMore } = await countDeals(db, { tenant, filter, zone })
  return { name, count, isMore, filter }
}

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
  const report = await readWeek(deps, { tenant: partnerId, zone }, weekOf(addDays(monday, -7)), now)
  const mail = digestMail(report, { publicUrl: config.publicUrl, encryptionKey }, userId)
  await db.transaction(async (tx) => {
    if ((await takeDigest(tx, userId, monday)) && hasNews(report))
      await enqueueMail(tx, encryptionKey, email, mail, usefulMs)
  })
}
