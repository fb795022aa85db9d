import type { Fragment, ISql, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import type { Zone } from '../protocol/zone.ts'
import type { DealNews } from './channels/channel.ts'
import { type Channel, type NewNotification, type News, notificationKinds } from './notification.ts'
import { type When, dueAt } from './when.ts'

/** An inserted notification. */
export interface Inserted {
  id: number
  userId: number
  dealId: string
}

/** Returns the condition that the user wants this kind of notification. */
export const isWanted = (sql: ISql, kind: Fragment): Fragment =>
  sql`case ${kind} ${notificationKinds
    .map((name) => sql`when ${name} then coalesce(${sql.unsafe(`setting.${name}`)}, true)`)
    .reduce((all, each) => sql`${all} ${each}`)} end`

/** Returns the condition that the user, with `setting` if there are settings, receives mail. */
export const takesMail = (sql: ISql): Fragment =>
  sql`coalesce(setting.by_mail, true) and setting.mail_rejected_at is null`

/** Returns the condition that `person` may see the deals of this partner, which is not suspended. */
export const maySee = (sql: ISql, partnerId: Fragment): Fragment => sql`
  (person.partner_id = ${partnerId} or person.role = 'operator')
  and exists (select from partners where partners.id = ${partnerId} and partners.suspended_at is null)`

/** Inserts the notifications that their users may see and want, once per key. @system other rooms */
export async function insertNotifications(
  sql: TransactionSql,
  rows: readonly NewNotification[],
): Promise<Inserted[]> {
  const given = rows.map(({ dealId, ...row }) => ({ ...row, dealId: String(dealId) }))
  return sql<Inserted[]>`
    insert into notifications (user_id, partner_id, deal_id, key, kind, changes)
    select person.id, deals.partner_id, deals.id, row.key, row.kind, row.changes
    from jsonb_to_recordset(${JSON.stringify(given)}::text::jsonb)
      as row ("userId" integer, "partnerId" integer, "dealId" bigint, key text, kind text, changes jsonb)
    join deals on deals.id = row."dealId" and deals.partner_id = row."partnerId"
    join users person on person.id = row."userId"
    left join notification_settings setting on setting.user_id = person.id
    where ${maySee(sql, sql`deals.partner_id`)} and ${isWanted(sql, sql`row.kind`)}
    order by row."dealId", person.id
    on conflict (deal_id, user_id, key) do nothing
    returning id::float8, user_id as "userId", deal_id::text as "dealId"`
}

/** Where and when a user's news is sent. */
interface Route extends When {
  userId: number
  channel: Channel
  targetId: number
  timeZone: string | null
}

/** How messages about new notifications are planned. */
interface Planning {
  /** Their minimum delay, in milliseconds. */
  waitMs?: number
  /** Whether news of several deals is one message. */
  isJoint?: boolean
}

/**
 * Plans messages about new notifications: each joins the recipient's waiting message, or begins another one.
 * Notifies the pages of their users.
 * @system the worker, other rooms
 */
export async function planDeliveries(
  sql: TransactionSql,
  inserted: readonly Inserted[],
  planning: Planning = {},
): Promise<void> {
  if (inserted.length === 0) return
  const userIds = [...new Set(inserted.map(({ userId }) => userId))]
  const routes = Map.groupBy(await readRoutes(sql, userIds), ({ userId }) => userId)
  const planned = new Map<string, Planned>()
  for (const { id, userId, dealId } of inserted)
    for (const route of routes.get(userId) ?? [])
      addTo(planned, route, route.schedule === 'at-once' ? dealId : allDeals, [id])
  await Promise.all([
    insertDeliveries(sql, [...planned.values()], planning),
    notifyChanges(sql, { ...noChanges(), notifications: new Set(userIds) }),
  ])
}

/** The deal id of a message that collects news of all deals. */
const allDeals = '0'

/** A message to one recipient about one deal or all. */
interface Planned {
  route: Route
  dealId: string
  ids: number[]
}

function addTo<Message extends Planned>(
  planned: Map<string, Message>,
  route: Route,
  dealId: string,
  ids: number[],
  more: Omit<Message, keyof Planned> = {} as Message,
): void {
  const key = `${route.userId} ${route.channel} ${route.targetId} ${dealId}`
  const there = planned.get(key)
  if (there === undefined) planned.set(key, { route, dealId, ids, ...more } as Message)
  else there.ids.push(...ids)
}

function readRoutes(sql: TransactionSql, userIds: number[]): Promise<Route[]> {
  return sql<Route[]>`
    select person.id as "userId", target.channel, target.id as "targetId",
      coalesce(setting.schedule, 'at-once') as schedule, coalesce(setting.hour, 7) as hour,
      coalesce(setting.at_night, false) as "atNight",
      coalesce(person.time_zone, partners.time_zone, partners.usual_zone) as "timeZone"
    from users person
    left join partners on partners.id = person.partner_id
    left join notification_settings setting on setting.user_id = person.id
    cross join lateral (
      select 'mail' as channel, 0 as id
      where ${takesMail(sql)}
      union all
      select 'push', subscription.id from push_subscriptions subscription
      where subscription.user_id = person.id) target
    where person.id = any(${userIds}::integer[])`
}

/** Inserts messages, or adds to waiting ones, in a fixed order that prevents deadlocks. */
async function insertDeliveries(
  sql: TransactionSql,
  planned: readonly Planned[],
  planning: Planning,
): Promise<void> {
  if (planned.length === 0) return
  const rows = (await withTimes(sql, planned, planning)).map(({ route, dealId, ids, dueMs }) => ({
    userId: route.userId,
    channel: route.channel,
    targetId: route.targetId,
    dealId,
    ids,
    dueAt: new Date(dueMs).toISOString(),
  }))
  await sql`
    insert into notification_deliveries (user_id, channel, target_id, deal_id, notification_ids, due_at)
    select row."userId", row.channel, row."targetId", row."dealId", row.ids, row."dueAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as row ("userId" integer, channel text, "targetId" integer, "dealId" bigint, ids bigint[], "dueAt" timestamptz)
    order by row."userId", row.channel, row."targetId", row."dealId"
    on conflict (user_id, channel, target_id, deal_id) where lease = 0 and due_at is not null
    do update set notification_ids = notification_deliveries.notification_ids || excluded.notification_ids,
      due_at = least(notification_deliveries.due_at, excluded.due_at)`
}

/** Returns when messages are due. Combines messages held overnight into one per recipient. */
async function withTimes(
  sql: TransactionSql,
  planned: readonly Planned[],
  { waitMs = 0, isJoint = false }: Planning,
): Promise<(Planned & { dueMs: number })[]> {
  const rows = planned.map(({ route: { userId, channel, targetId }, dealId }, index) => ({
    index,
    userId,
    channel,
    targetId,
    dealId,
  }))
  const userIds = [...new Set(rows.map(({ userId }) => userId))]
  const last = await sql<{ index: number; sentMs: number | null; nowMs: number }[]>`
    with collected as materialized (
      select delivery.user_id, delivery.channel, delivery.target_id, told.deal_id,
        coalesce(delivery.sent_at, now()) as sent_at
      from notification_deliveries delivery
      cross join unnest(delivery.notification_ids) as its (id)
      join notifications told on told.id = its.id
      where delivery.user_id = any(${userIds}::integer[]) and delivery.deal_id = 0
        and (delivery.sent_at > now() - interval '10 minutes' or delivery.leased_until > now()))
    select row.index, extract(epoch from now())::float8 * 1000 as "nowMs",
      extract(epoch from greatest(max(collected.sent_at), max(
        case when delivery.id is not null then coalesce(delivery.sent_at, now()) end)))::float8 * 1000 as "sentMs"
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as row (index integer, "userId" integer, channel text, "targetId" integer, "dealId" bigint)
    left join notification_deliveries delivery
      on delivery.user_id = row."userId" and delivery.deal_id = row."dealId" and row."dealId" <> 0
      and delivery.channel = row.channel and delivery.target_id = row."targetId"
      and (delivery.sent_at > now() - interval '10 minutes' or delivery.leased_until > now())
    left join collected on collected.user_id = row."userId" and collected.channel = row.channel
      and collected.target_id = row."targetId" and collected.deal_id = row."dealId"
    group by row.index`
  const ofRecipient = Map.groupBy(planned, ({ route }) => route)
  const timed = new Map<string, Planned & { dueMs: number }>()
  for (const { index, sentMs, nowMs } of last.toSorted((a, b) => a.index - b.index)) {
    const { route, dealId, ids } = planned[index]!
    const { ms, isCollected } = dueAt(nowMs + waitMs, sentMs, route, toZone(route.timeZone))
    const isOne = isCollected || (isJoint && ofRecipient.get(route)!.length > 1)
    addTo(timed, route, isOne ? allDeals : dealId, ids, { dueMs: ms })
  }
  return [...timed.values()]
}

/** A message that one worker holds until its lease ends. */
export interface LeasedMessage {
  id: number
  /** Proves that a result belongs to this lease. */
  lease: number
  userId: number
  channel: Channel
  targetId: number
  notificationIds: number[]
}

/** Leases due messages of these channels, longest due first. @system the worker */
export async function leaseMessages(
  { $client: sql }: Database,
  channels: Channel[],
  limit: number,
  leaseMs: number,
): Promise<LeasedMessage[]> {
  return sql<LeasedMessage[]>`
    update notification_deliveries delivery
    set lease = delivery.lease + 1, leased_until = now() + ${leaseMs} * interval '1 millisecond'
    where delivery.id = any(array(
      select due.id from notification_deliveries due
      where due.due_at <= now() and due.channel = any(${channels}::text[])
        and (due.leased_until is null or due.leased_until <= now())
      order by due.due_at limit ${limit} for update skip locked))
    returning id::float8, lease, user_id as "userId", channel, target_id as "targetId",
      notification_ids::float8[] as "notificationIds"`
}

/** The recipient of a message, and its content. */
export interface MessageContent {
  user: { id: number; email: string; zone: Zone }
  deals: DealNews[]
}

/**
 * Returns a message's current content: unread news that the user may see and still wants. Undefined if there
 * is none.
 * @proof the lease
 */
export async function readContent(
  { $client: sql }: Database,
  { userId, notificationIds }: Pick<LeasedMessage, 'userId' | 'notificationIds'>,
): Promise<MessageContent | undefined> {
  const rows = await sql<
    {
      email: string
      timeZone: string | null
      dealId: string
      name: string | null
      kind: News['kind']
      changes: News['changes']
    }[]
  >`
    select person.email, coalesce(person.time_zone, home.time_zone, home.usual_zone) as "timeZone",
      deals.id::text as "dealId", deals.json::json ->> 'dealname' as name,
      notification.kind, notification.changes
    from notifications notification
    join users person on person.id = notification.user_id
    join deals on deals.id = notification.deal_id and deals.partner_id = notification.partner_id
    left join partners home on home.id = person.partner_id
    left join notification_settings setting on setting.user_id = person.id
    where notification.id = any(${notificationIds}::bigint[]) and person.id = ${userId}
      and notification.read_at is null and ${maySee(sql, sql`deals.partner_id`)}
      and ${isWanted(sql, sql`notification.kind`)}
      and (notification.kind = 'messages' or ${isFollowed(sql)})
    order by min(notification.id) over (partition by deals.id), notification.id`
  const [first] = rows
  if (first === undefined) return undefined
  const deals = [...Map.groupBy(rows, ({ dealId }) => dealId)].map(([id, [row, ...others]]) => ({
    id,
    name: row!.name ?? '',
    news: [row!, ...others].map(({ kind, changes }) => ({ kind, changes }) as News),
  }))
  return { user: { id: userId, email: first.email, zone: toZone(first.timeZone) }, deals }
}

/**
 * Returns the condition that `person` still follows the deal of `notification`, or the view that caused it.
 */
export const isFollowed = (sql: ISql): Fragment => sql`
  not exists (select from follows off where off.deal_id = deals.id and off.user_id = person.id and not off.is_on)
  and (exists (
      select from follows follow where follow.user_id = person.id
        and (follow.deal_id = deals.id or follow.view_id = notification.view_id))
    or exists (select from user_people own where own.user_id = person.id and own.person_id = any(deals.people)))`

/** The result of an attempt. */
export interface MessageResult extends Pick<LeasedMessage, 'id' | 'lease'> {
  isSent: boolean
  problem: string | null
  /** Time until the next attempt; null if there is none. */
  waitMs: number | null
}

/** Records the result of an attempt while its lease is held. Returns whether it did. @proof the lease */
export async function recordResult(
  { $client: sql }: Database,
  { id, lease, isSent, problem, waitMs }: MessageResult,
): Promise<boolean> {
  const { count } = await sql`
    update notification_deliveries set leased_until = null, problem = ${problem},
      sent_at = case when ${isSent}::boolean then now() end,
      due_at = now() + ${waitMs}::float8 * interval '1 millisecond'
    where id = ${id} and lease = ${lease} and leased_until is not null`
  return count > 0
}

/** Stops mail to a user whose e-mail address was rejected. @proof the lease */
export async function recordRejection(
  { $client: sql }: Database,
  userId: number,
  problem: string,
): Promise<void> {
  await sql`
    insert into notification_settings (user_id, mail_rejected_at, mail_problem)
    values (${userId}, now(), ${problem})
    on conflict (user_id) do update set mail_rejected_at = excluded.mail_rejected_at, mail_problem = excluded.mail_problem`
}
