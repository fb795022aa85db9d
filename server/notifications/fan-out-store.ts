import type { Fragment, ISql, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { toZone } from '../accounts/zone-choice.ts'
import type { EventType } from '../deals/event.ts'
import { filesOfDeals } from '../files/visible-store.ts'
import { absorbJobs, sendJobs } from '../jobs/send-store.ts'
import { isDueOn, isLate } from '../search/step-store.ts'
import { type Zone, addDays, dayOf } from '../values/zone.ts'
import { addChannelNews } from './channel-news-store.ts'
import {
  type Inserted,
  addNotifications,
  isFollowed,
  isWanted,
  maySee,
  planDeliveries,
} from './delivery-store.ts'
import {
  type ViewMatch,
  movesOf,
  readDayMoves,
  readEventMatches,
  readViewMatches,
  zoneOf,
} from './followed-view-store.ts'
import { type EventChange, type News, type PlannedStep, newsOf } from './notification.ts'
import { atHour, morningHour, jointWaitMs } from './when.ts'

// Maximum number of rows read and inserted per transaction. Other work can run between two transactions.
const eventsAtOnce = 200
const pairsAtOnce = 2000

/** An update of a deal for followers, sorted by `sequence`. */
interface DealNews {
  sequence: number
  dealId: string
  key: string
  at: string
  /** Null if the update is only for followers whose views the deal has entered or left. */
  news: News | null
}

/** The last follower who was notified of the update at this sequence. */
interface Progress {
  sequence: number
  userId: number
}

/**
 * Turns a partner's next events into notifications. Moves the cursor in the same transaction, so that no
 * event is lost or repeated. Returns whether there may be more events.
 */
export async function fanOutEvents(db: Database, partnerId: PartnerId): Promise<boolean> {
  return db.$client.begin(async (sql) => {
    // This job also processes the events of other waiting jobs.
    await absorbJobs(sql, 'notify-of-events', partnerId)
    // Starts at the first event if there is no cursor. Following a deal or adding a channel creates a cursor
    // at the last event.
    await sql`insert into notification_cursors (partner_id, sequence) values (${partnerId}, 0) on conflict do nothing`
    const [cursor] = await sql<[Progress]>`
      select sequence::float8, user_id as "userId" from notification_cursors
      where partner_id = ${partnerId} for update`
    const events = (await hasReaders(sql, partnerId)) ? await readEvents(sql, partnerId, cursor.sequence) : []
    const last = events.at(-1)?.sequence
    if (last === undefined) {
      await sql`
        update notification_cursors set user_id = 0,
          sequence = coalesce((select last_sequence from deal_lists where id = ${partnerId}), sequence)
        where partner_id = ${partnerId}`
      return false
    }
    const zone = await readZone(sql, partnerId)
    const inViews = await readEventMatches(db, sql, partnerId, events)
    const moved = new Set(inViews.filter(({ move }) => move !== null).map(({ sequence }) => sequence))
    const news = events.flatMap(({ sequence, dealId, type, stage, changes, at }): DealNews[] => {
      const ofEvent = newsOf(type, stage, JSON.parse(changes) as EventChange[], zone)
      const isBare = moved.has(sequence) && !ofEvent.some(({ kind }) => kind === 'stage')
      return [...ofEvent, ...(isBare ? [null] : [])].map((update) => ({
        sequence,
        dealId,
        at,
        key: `event:${partnerId}:${sequence}:${update?.kind ?? 'stage'}`,
        news: update,
      }))
    })
    const reached = await notifyFollowers(sql, partnerId, { news, inViews }, cursor)
    const next = reached ?? { sequence: last, userId: 0 }
    const posted = forChannels(news).filter(
      ({ sequence }) => sequence > cursor.sequence && sequence <= next.sequence,
    )
    await addChannelNews(sql, partnerId, posted, soon(posted))
    await sql`
      update notification_cursors set sequence = ${next.sequence}, user_id = ${next.userId}
      where partner_id = ${partnerId}`
    return reached !== null || events.length === eventsAtOnce
  }) as Promise<boolean>
}

/** Returns when channels may post updates: null (now) if they concern one deal, later otherwise. */
const soon = (news: readonly { dealId: string }[]) =>
  new Set(news.map(({ dealId }) => dealId)).size > 1 ? new Date(Date.now() + jointWaitMs) : null

async function readZone(sql: TransactionSql, partnerId: PartnerId): Promise<Zone> {
  const [row] = await sql<[{ zone: string | null }]>`
    select coalesce(time_zone, usual_zone) as zone from partners where id = ${partnerId}`
  return toZone(row.zone)
}

/** Returns the updates for team channels, which do not follow views. */
const forChannels = (news: readonly DealNews[]) =>
  news.flatMap(({ news: each, ...row }) => (each === null ? [] : [{ ...row, news: each }]))

/** Returns whether the partner has a channel, or a follower who may see its deals. */
async function hasReaders(sql: TransactionSql, partnerId: PartnerId): Promise<boolean> {
  const [row] = await sql<[{ any: boolean }]>`
    select exists (
      select from team_channels where partner_id = ${partnerId} and switched_off_at is null)
    or exists (
      select from users person where ${maySee(sql, sql`${partnerId}::integer`)}
        and (exists (select from follows where user_id = person.id)
          or exists (select from user_people where user_id = person.id))) as any`
  return row.any
}

function readEvents(sql: TransactionSql, partnerId: PartnerId, after: number) {
  return sql<
    { sequence: number; dealId: string; type: EventType; stage: string | null; changes: string; at: string }[]
  >`
    select sequence::float8, deal_id::text as "dealId", type, created_at as at,
      body::json -> 'data' ->> 'stage' as stage, (body::json -> 'changes')::text as changes
    -- Limited before sorting, because otherwise the bodies of all waiting events would be parsed.
    from (
      select * from events where partner_id = ${partnerId} and sequence > ${after}
      order by sequence limit ${eventsAtOnce}) event
    order by event.sequence`
}

/**
 * Inserts notifications for the followers of the deals, starting after the follower at `progress`, and plans
 * messages. If followers remain, returns the last notified one, otherwise null. If `zone` is given, notifies
 * only followers in this zone.
 */
async function notifyFollowers(
  sql: TransactionSql,
  partnerId: PartnerId,
  { news, inViews }: { news: readonly DealNews[]; inViews: readonly ViewMatch[] },
  progress: Progress,
  zone: Zone | null = null,
): Promise<Progress | null> {
  if (news.length === 0) return null
  const rows = news.map(({ news: update, ...row }) => ({
    ...row,
    kind: update?.kind ?? 'stage',
    changes: update?.changes ?? {},
    isBare: update === null,
  }))
  const [result] = await sql<[{ pairs: number; last: Progress | null; inserted: Inserted[] }]>`
    with news as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        as news (sequence bigint, "dealId" bigint, key text, at timestamptz, kind text, changes jsonb, "isBare" boolean)),
    moves as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(movesOf(inViews))}::text::jsonb)
        as moves (sequence bigint, "userId" integer, changes jsonb)),
    changed as materialized (
      select distinct news.sequence, deals.id as deal_id, deals.people from news
      join deals on deals.id = news."dealId" and deals.partner_id = ${partnerId}),
    ways as (${waysToFollow(sql, inViews)}),
    pairs as materialized (
      select sequence, deal_id, user_id,
        case when bool_and(view_id is not null) then min(view_id) end as view_id
      -- Some followers may already have been notified of the event after the last complete one.
      from ways where (sequence, user_id) > (${progress.sequence + 1}::bigint, ${progress.userId}::integer)
      group by sequence, deal_id, user_id order by sequence, user_id limit ${pairsAtOnce}),
    inserted as (
      insert into notifications (user_id, partner_id, deal_id, key, kind, changes, view_id, created_at)
      select person.id, ${partnerId}, pairs.deal_id, news.key, news.kind,
        news.changes || coalesce(moves.changes, '{}'), pairs.view_id, news.at
      from pairs
      join news on news.sequence = pairs.sequence and news."dealId" = pairs.deal_id
      join users person on person.id = pairs.user_id
      left join moves on moves.sequence = pairs.sequence and moves."userId" = person.id and news.kind = 'stage'
      left join partners home on home.id = person.partner_id
      left join notification_settings setting on setting.user_id = person.id
      where ${maySee(sql, sql`${partnerId}::integer`)} and ${isWanted(sql, sql`news.kind`)}
        and (not news."isBare" or moves.changes is not null)
        and ${zone === null ? sql`true` : sql`${zoneOf(sql)} = ${zone}`}
        and not exists (
          select from follows off where off.deal_id = pairs.deal_id and off.user_id = person.id and not off.is_on)
      order by pairs.deal_id, person.id, pairs.sequence
      on conflict (deal_id, user_id, key) do nothing
      returning id, user_id, deal_id)
    select (select count(*)::integer from pairs) as pairs,
      (select jsonb_build_object('sequence', sequence - 1, 'userId', user_id) from pairs
        order by sequence desc, user_id desc limit 1) as last,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'userId', user_id, 'dealId', deal_id::text) order by id)
        from inserted), '[]') as inserted`
  await planDeliveries(sql, result.inserted)
  return result.pairs === pairsAtOnce ? result.last : null
}

/** Returns the followers of `changed` deals, one row per reason for following. */
const waysToFollow = (sql: TransactionSql, inViews: readonly ViewMatch[]): Fragment => sql`
      select changed.sequence, changed.deal_id, follow.user_id, null::integer as view_id
      from changed join follows follow on follow.deal_id = changed.deal_id and follow.is_on
      union all
      select changed.sequence, changed.deal_id, own.user_id, null
      from changed cross join unnest(changed.people) as named (id)
      join user_people own on own.person_id = named.id
      union all
      select changed.sequence, changed.deal_id, view."userId", view."viewId"
      from changed join jsonb_to_recordset(${JSON.stringify(inViews)}::text::jsonb)
        as view (sequence bigint, "userId" integer, "viewId" integer) on view.sequence = changed.sequence`

/** Notifies users of files added to a partner's deals. */
export async function fanOutFiles(db: Database, partnerId: PartnerId, fileIds: string[]): Promise<void> {
  await db.$client.begin(async (sql) => {
    const files = await sql<{ id: string; name: string; dealId: string; at: string }[]>`
      select files.id, files.name, files.deal_id::text as "dealId", files.created_at as at
      from ${filesOfDeals(sql)} join deals on deals.id = files.deal_id and deals.partner_id = ${partnerId}
      where files.id = any(${fileIds})
      order by files.created_at, files.id`
    const news = files.map(({ id, name, dealId, at }, index) => ({
      sequence: index + 1,
      dealId,
      at,
      key: `file:${id}`,
      news: { kind: 'files', changes: { id, name } } as const,
    }))
    await notifyAll(sql, partnerId, news)
    await addChannelNews(sql, partnerId, withoutSequence(news), soon(news))
  })
}

/** Returns updates for channels that are not caused by an event. */
const withoutSequence = (news: readonly DealNews[]) =>
  forChannels(news).map(({ dealId, key, news: each }) => ({ dealId, key, news: each }))

/** Notifies all followers of updates, in as many steps as needed. */
async function notifyAll(
  sql: TransactionSql,
  partnerId: PartnerId,
  news: readonly DealNews[],
  zone: Zone | null = null,
  known?: readonly ViewMatch[],
): Promise<void> {
  const inViews = known ?? (await readViewMatches(sql, partnerId, news))
  for (let progress: Progress | null = { sequence: 0, userId: 0 }; progress !== null;)
    progress = await notifyFollowers(sql, partnerId, { news, inViews }, progress, zone)
}

export interface ReaderZone {
  zone: Zone
  /** The last processed day in this zone, or null if the zone is new. */
  day: string | null
}

/** Returns the zones of a partner's readers in which a day has ended since the last run. */
export const findEndedDays = (db: Database, partnerId: PartnerId, now: Date): Promise<ReaderZone[]> =>
  readReaderZones(db.$client, now, partnerId)

/** Returns the zones of followers and channels in which a day has ended, for one partner or all partners. */
async function readReaderZones(sql: ISql, now: Date, partnerId: PartnerId | null = null) {
  const rows = await sql<{ partnerId: PartnerId; timeZone: string; day: string | null }[]>`
    with readers as materialized (
      select distinct person.partner_id, ${zoneOf(sql)} as zone
      from users person left join partners home on home.id = person.partner_id
      where exists (select from follows where user_id = person.id)
        or exists (select from user_people where user_id = person.id)
      union
      select channel.partner_id, coalesce(home.time_zone, home.usual_zone, 'UTC')
      from team_channels channel join partners home on home.id = channel.partner_id
      where channel.switched_off_at is null)
    select distinct cursor.partner_id as "partnerId", readers.zone as "timeZone", done.day::text
    from notification_cursors cursor
    join readers on readers.partner_id = cursor.partner_id or readers.partner_id is null
    left join notification_days done on done.partner_id = cursor.partner_id and done.zone = readers.zone
    where ${partnerId}::integer is null or cursor.partner_id = ${partnerId}`
  return rows
    .map(({ timeZone, ...row }) => ({ ...row, zone: toZone(timeZone) }))
    .filter(({ day, zone }) => day === null || day < dayOf(now, zone))
}

// Number of past days to process. Covers a worker that was down over a holiday. Older delays are not
// reported.
const catchUpDays = 14

/**
 * Notifies the readers in a zone, for each ended day, of deals that became late, of steps planned for the
 * next day, and of deals that entered or left views because the day changed.
 */
export async function fanOutDay(
  db: Database,
  partnerId: PartnerId,
  { zone, day }: ReaderZone,
  now: Date,
): Promise<void> {
  const today = dayOf(now, zone)
  await db.$client.begin(async (sql) => {
    const [done] = await sql<{ day: string }[]>`
      insert into notification_days as done (partner_id, zone, day) values (${partnerId}, ${zone}, ${today})
      on conflict (partner_id, zone) do update set day = excluded.day where done.day < excluded.day
      returning day::text`
    // New followers are only notified of later events.
    if (done === undefined || day === null) return
    const earliest = addDays(today, -catchUpDays)
    const late = { from: day > earliest ? day : earliest, to: addDays(today, -1) }
    const tomorrow = addDays(today, 1)
    const due = await sql<{ id: string; dueMs: number; step: PlannedStep['step']; isLate: boolean }[]>`
      select id::text, extract(epoch from due_at)::float8 * 1000 as "dueMs", due_step as step, ${isDueOn(sql, late, zone)} as "isLate"
      from deals where partner_id = ${partnerId}
        and (${isDueOn(sql, late, zone)} or ${isDueOn(sql, { from: tomorrow, to: tomorrow }, zone)})
      order by deals.id`
    const news = due.map(({ id, dueMs, step, isLate }, index) => {
      const planned = { step, due: new Date(dueMs).toISOString() }
      return {
        sequence: index + 1,
        dealId: id,
        at: now.toISOString(),
        key: `${isLate ? 'late' : 'ahead'}:${dayOf(planned.due, zone)}`,
        news: isLate
          ? ({ kind: 'late', changes: { ...planned, isLate: true } } as const)
          : ({ kind: 'dates', changes: { ahead: planned } } as const),
      }
    })
    for (let at = 0; at < news.length; at += eventsAtOnce)
      await notifyAll(sql, partnerId, news.slice(at, at + eventsAtOnce), zone)
    if (zone === (await readZone(sql, partnerId)))
      await addChannelNews(
        sql,
        partnerId,
        withoutSequence(news),
        new Date(Math.max(now.getTime(), atHour(today, morningHour, zone))),
      )
    const moves = await readDayMoves(sql, partnerId, zone, { from: day, to: today })
    const moved = [...new Set(moves.map(({ dealId }) => dealId))]
    const sequences = new Map(moved.map((dealId, index) => [dealId, index + 1]))
    const inViews = moves.map(({ dealId, ...move }) => ({ ...move, sequence: sequences.get(dealId)! }))
    const moveNews = moved.map((dealId, index) => ({
      sequence: index + 1,
      dealId,
      at: now.toISOString(),
      key: `views:${today}`,
      news: null,
    }))
    await notifyAll(sql, partnerId, moveNews, zone, inViews)
  })
}

/**
 * Returns a condition: `notification` reported a late deal that is no longer late in `zone`, and this has not
 * been reported yet.
 */
const isOver = (sql: ISql, zone: Zone): Fragment => sql`
  notification.kind = 'late' and starts_with(notification.key, 'late:') and ${zoneOf(sql)} = ${zone}
  and not ${isLate(sql, zone)} and ${isFollowed(sql)}
  and not exists (
    select from notifications later where later.deal_id = notification.deal_id
      and later.user_id = notification.user_id and later.key = 'no-longer-' || notification.key)`

/** Notifications with their users and deals, for use with `isOver`. */
const ofLateDeals = (sql: ISql): Fragment => sql`
  notifications notification
  join users person on person.id = notification.user_id
  left join partners home on home.id = person.partner_id
  join deals on deals.id = notification.deal_id and deals.partner_id = notification.partner_id`

/** Returns the zones of users who were notified of late deals, of one partner or all partners. */
async function readZonesOfLate(sql: ISql, partnerId: PartnerId | null = null): Promise<Zone[]> {
  const zones = await sql<{ zone: string }[]>`
    select distinct ${zoneOf(sql)} as zone from notifications notification
    join users person on person.id = notification.user_id
    left join partners home on home.id = person.partner_id
    where notification.kind = 'late' and (${partnerId}::integer is null or notification.partner_id = ${partnerId})`
  return zones.map(({ zone }) => toZone(zone))
}

/**
 * Returns the partners with followers who must be notified that a deal is no longer late.
 * @system the worker
 */
export async function findPartnersNoLongerLate({ $client: sql }: Database): Promise<PartnerId[]> {
  const found = new Set<PartnerId>()
  for (const zone of await readZonesOfLate(sql)) {
    const rows = await sql<{ partnerId: PartnerId }[]>`
      select distinct deals.partner_id as "partnerId" from ${ofLateDeals(sql)} where ${isOver(sql, zone)}`
    for (const { partnerId } of rows) found.add(partnerId)
  }
  return [...found]
}

/** Sends a job for each partner with updates caused by the end of a day. @system the worker */
export async function sendDayJobs(db: Database, now: Date): Promise<void> {
  const partners = new Set([
    ...(await readReaderZones(db.$client, now)).map(({ partnerId }) => partnerId),
    ...(await findPartnersNoLongerLate(db)),
  ])
  const jobs = [...partners].map((partnerId) => ({ data: { partnerId }, key: partnerId, group: partnerId }))
  await sendJobs(db.$client, 'notify-of-days', jobs)
}

/** Notifies followers that deals of a partner are no longer late. */
export async function fanOutNoLongerLate(db: Database, partnerId: PartnerId): Promise<void> {
  await db.$client.begin(async (sql) => {
    for (const zone of await readZonesOfLate(sql, partnerId)) {
      const over = await sql<{ userId: number; dealId: string; key: string; changes: PlannedStep }[]>`
        select person.id as "userId", deals.id::text as "dealId", 'no-longer-' || notification.key as key,
          notification.changes
        from ${ofLateDeals(sql)} where notification.partner_id = ${partnerId} and ${isOver(sql, zone)}
        limit ${pairsAtOnce}`
      const rows = over.map(({ dealId, changes: { step, due }, ...row }) => ({
        ...row,
        partnerId,
        dealId: BigInt(dealId),
        kind: 'late' as const,
        changes: { step, due, isLate: false },
      }))
      await addNotifications(sql, rows)
    }
  })
}
