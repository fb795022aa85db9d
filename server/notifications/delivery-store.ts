import type { Fragment, ISql, TransactionSql } from 'postgres'
import { type Database, type Rest, deleteInBatches } from '#db/client.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import {
  type Content,
  type NewsRow,
  dealNewsOf,
  type Channel,
  type NewNotification,
  notificationKinds,
} from './notification.ts'
import { type When, dueAt, jointWaitMs } from './when.ts'

export interface Inserted {
  id: number
  userId: number
  dealId: string
}

/** Returns a condition: the user wants this kind of notification. */
export const isWanted = (sql: ISql, kind: Fragment): Fragment =>
  sql`case ${kind} ${notificationKinds
    .map((name) => sql`when ${name} then coalesce(${sql.unsafe(`setting.${name}`)}, true)`)
    .reduce((all, each) => sql`${all} ${each}`)} end`

/** Returns a condition: the user receives mail. `setting` is the row of the user's settings, if any. */
export const takesMail = (sql: ISql): Fragment =>
  sql`coalesce(setting.by_mail, true) and setting.mail_rejected_at is null`

/** Returns a condition: `person` may see the deals of this partner, and the partner is not suspended. */
export const maySee = (sql: ISql, partnerId: Fragment): Fragment => sql`
  (person.partner_id = ${partnerId} or person.role = 'operator')
  and exists (select from partners where partners.id = ${partnerId} and partners.suspended_at is null)`

/**
 * Notifies users in the portal and through their chosen channels, in the transaction of the change. Skips
 * users who cannot see the deal or have turned this kind off, and notifications whose key exists.
 * @system other rooms
 */
export async function addNotifications(
  sql: TransactionSql,
  notifications: readonly NewNotification[],
  planning?: Planning,
): Promise<void> {
  if (notifications.length === 0) return
  const rows = notifications.map(({ dealId, ...row }) => ({ ...row, dealId: String(dealId) }))
  const inserted = await sql<Inserted[]>`
    insert into notifications (user_id, partner_id, deal_id, key, kind, changes)
    select person.id, deals.partner_id, deals.id, row.key, row.kind, row.changes
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as row ("userId" integer, "partnerId" integer, "dealId" bigint, key text, kind text, changes jsonb)
    join deals on deals.id = row."dealId" and deals.partner_id = row."partnerId"
    join users person on person.id = row."userId"
    left join notification_settings setting on setting.user_id = person.id
    where ${maySee(sql, sql`deals.partner_id`)} and ${isWanted(sql, sql`row.kind`)}
    order by row."dealId", person.id
    on conflict (deal_id, user_id, key) do nothing
    returning id::float8, user_id as "userId", deal_id::text as "dealId"`
  await planDeliveries(sql, inserted, planning)
}

interface Route extends When {
  userId: number
  channel: Channel
  targetId: number
  timeZone: string | null
}

interface Planning {
  waitMs?: number
}

/**
 * Plans messages about new notifications. Each notification is added to the recipient's pending message, or
 * starts a new message. Notifies open pages of the users.
 * @system the worker
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
      addTo(planned, { route, dealId: route.schedule === 'at-once' ? dealId : allDeals, ids: [id] })
  await Promise.all([
    insertDeliveries(sql, [...planned.values()], planning),
    notifyChanges(sql, { ...noChanges(), notifications: new Set(userIds) }),
  ])
}

const allDeals = '0'

interface Planned {
  route: Route
  dealId: string
  ids: number[]
}

/** Adds a message, or adds its notifications to a planned message about the same deal. */
function addTo<Message extends Planned>(planned: Map<string, Message>, message: Message): void {
  const { route, dealId, ids } = message
  const key = `${route.userId} ${route.channel} ${route.targetId} ${dealId}`
  const equal = planned.get(key)
  if (equal === undefined) planned.set(key, message)
  else equal.ids.push(...ids)
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
      where subscription.user_id = person.id and subscription.ended_at is null) target
    where person.id = any(${userIds}::integer[])`
}

/** Inserts messages, or adds notifications to pending ones, in a fixed order that prevents deadlocks. */
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
  const changed = await sql<(WaitingMessage & { isNewlyDue: boolean })[]>`
    insert into notification_deliveries (user_id, channel, target_id, deal_id, notification_ids, due_at)
    select row."userId", row.channel, row."targetId", row."dealId", row.ids, row."dueAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as row ("userId" integer, channel text, "targetId" integer, "dealId" bigint, ids bigint[], "dueAt" timestamptz)
    order by row."userId", row.channel, row."targetId", row."dealId"
    on conflict (user_id, channel, target_id, deal_id) where lease = 0 and due_at is not null
    do update set notification_ids = notification_deliveries.notification_ids || excluded.notification_ids,
      due_at = least(notification_deliveries.due_at, excluded.due_at)
    returning id::float8, user_id as "userId", channel, extract(epoch from due_at)::float8 * 1000 as "dueMs",
      due_at < coalesce((select due_at from notification_deliveries earlier
        where earlier.id = notification_deliveries.id), 'infinity') as "isNewlyDue"`
  await sendMessageJobs(
    sql,
    changed.filter(({ isNewlyDue }) => isNewlyDue),
  )
}

interface WaitingMessage {
  id: number
  userId: number
  channel: Channel
  dueMs: number
}

/**
 * Sends the jobs that send messages. Each user is a group, so that an unreachable user does not delay others.
 */
async function sendMessageJobs(sql: ISql, messages: readonly WaitingMessage[]): Promise<void> {
  for (const channel of ['mail', 'push'] as const)
    await sendJobs(
      sql,
      `notification-${channel}`,
      messages
        .filter((message) => message.channel === channel)
        .map(({ id, userId, dueMs }) => ({
          data: { deliveryId: id },
          key: id,
          group: userId,
          dueAt: new Date(dueMs),
        })),
    )
}

/**
 * Returns the messages with the times at which they are due. Combines the messages to a recipient that wait
 * overnight.
 */
async function withTimes(
  sql: TransactionSql,
  planned: readonly Planned[],
  { waitMs = 0 }: Planning,
): Promise<(Planned & { dueMs: number })[]> {
  const rows = planned.map(({ route: { userId, channel, targetId }, dealId }, index) => ({
    index,
    userId,
    channel,
    targetId,
    dealId,
  }))
  const userIds = [...new Set(rows.map(({ userId }) => userId))]
  const last = await sql<
    { index: number; sentMs: number | null; jointSentMs: number | null; nowMs: number }[]
  >`
    with collected as materialized (
      select delivery.user_id, delivery.channel, delivery.target_id, notification.deal_id,
        coalesce(delivery.sent_at, now()) as sent_at
      from notification_deliveries delivery
      join notifications notification on notification.id = any(delivery.notification_ids)
      where delivery.user_id = any(${userIds}::integer[]) and delivery.deal_id = 0
        and (delivery.sent_at > now() - interval '10 minutes' or delivery.leased_until > now()))
    select row.index, extract(epoch from now())::float8 * 1000 as "nowMs",
      extract(epoch from greatest(max(collected.sent_at), max(
        case when delivery.id is not null then coalesce(delivery.sent_at, now()) end)))::float8 * 1000 as "sentMs",
      (select extract(epoch from max(joint.sent_at))::float8 * 1000 from collected joint
        where joint.user_id = row."userId" and joint.channel = row.channel
          and joint.target_id = row."targetId") as "jointSentMs"
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as row (index integer, "userId" integer, channel text, "targetId" integer, "dealId" bigint)
    left join notification_deliveries delivery
      on delivery.user_id = row."userId" and delivery.deal_id = row."dealId" and row."dealId" <> 0
      and delivery.channel = row.channel and delivery.target_id = row."targetId"
      and (delivery.sent_at > now() - interval '10 minutes' or delivery.leased_until > now())
    left join collected on collected.user_id = row."userId" and collected.channel = row.channel
      and collected.target_id = row."targetId" and collected.deal_id = row."dealId"
    group by row.index, row."userId", row.channel, row."targetId"`
  const ofRecipient = Map.groupBy(planned, ({ route }) => route)
  const timed = new Map<string, Planned & { dueMs: number }>()
  for (const { index, sentMs, jointSentMs, nowMs } of last.toSorted((a, b) => a.index - b.index)) {
    const { route, dealId, ids } = planned[index]!
    // A change of many deals is sent as one message.
    const isJoint = ofRecipient.get(route)!.length > 1
    const soonestMs = nowMs + Math.max(waitMs, isJoint ? jointWaitMs : 0)
    const lastMs = isJoint ? jointSentMs : sentMs
    const { ms, isCollected } = dueAt(soonestMs, lastMs, route, toZone(route.timeZone))
    addTo(timed, { route, dealId: isCollected || isJoint ? allDeals : dealId, ids, dueMs: ms })
  }
  return [...timed.values()]
}

export interface LeasedMessage {
  userId: number
  targetId: number
  notificationIds: number[]
  attempts: number
}

// Longer than an attempt takes. During this time, later updates wait as if the message had been sent.
const attemptMinutes = 2

/**
 * Begins an attempt to send a message, after which later updates start a new message. Returns null if the
 * message is done.
 * @system the worker
 */
export async function takeMessage({ $client: sql }: Database, id: number): Promise<LeasedMessage | null> {
  const [message] = await sql<LeasedMessage[]>`
    update notification_deliveries
    set lease = lease + 1, leased_until = now() + ${attemptMinutes} * interval '1 minute'
    where id = ${id} and due_at is not null
    returning lease as attempts, user_id as "userId", target_id as "targetId",
      notification_ids::float8[] as "notificationIds"`
  return message ?? null
}

/**
 * Returns the current content of a message: unread updates that the user may see and still wants. Returns
 * undefined if there are none.
 * @proof the message
 */
export async function readContent(
  { $client: sql }: Database,
  { userId, notificationIds }: Pick<LeasedMessage, 'userId' | 'notificationIds'>,
): Promise<Pick<Content, 'user' | 'deals'> | undefined> {
  const rows = await sql<(NewsRow & { email: string; timeZone: string | null })[]>`
    select person.email, coalesce(person.time_zone, home.time_zone, home.usual_zone) as "timeZone",
      deals.id::text as "dealId", coalesce(deals.json::json ->> 'dealname', '') as name,
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
      -- Excludes messages that the recipient has already read in the thread.
      and not exists (
        select from thread_reads mark where mark.user_id = person.id
          and mark.thread_id = (notification.changes ->> 'threadId')::integer
          and case when starts_with(notification.key, 'message:')
            then mark.message_id >= substr(notification.key, length('message:') + 1)::bigint end)
    order by min(notification.id) over (partition by deals.id), notification.id`
  const [first] = rows
  if (first === undefined) return undefined
  const user = { id: userId, email: first.email, zone: toZone(first.timeZone) }
  return { user, deals: dealNewsOf(rows) as Content['deals'] }
}

/** Returns a condition: `person` still follows the deal of `notification`, or the view that caused it. */
export const isFollowed = (sql: ISql): Fragment => sql`
  not exists (select from follows off where off.deal_id = deals.id and off.user_id = person.id and not off.is_on)
  and (exists (
      select from follows follow where follow.user_id = person.id
        and (follow.deal_id = deals.id or follow.view_id = notification.view_id))
    or exists (select from user_people own where own.user_id = person.id and own.person_id = any(deals.people)))`

interface MessageResult {
  id: number
  isSent: boolean
  problem: string | null
  waitMs: number | null
}

/** Records the result of an attempt. @proof the message */
export async function recordResult(
  { $client: sql }: Database,
  { id, isSent, problem, waitMs }: MessageResult,
): Promise<void> {
  await sql`
    update notification_deliveries set leased_until = null, problem = ${problem},
      sent_at = case when ${isSent}::boolean then now() end,
      due_at = now() + ${waitMs}::float8 * interval '1 millisecond'
    where id = ${id}`
}

/** Stops mail to a user whose e-mail address was rejected. @proof the message */
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

// Longer than the longest waits for a Monday and for a mail server.
const deliveryDays = 14

/**
 * Deletes notifications older than `days`, and obsolete messages. Returns the number of deleted
 * notifications.
 * @system retention
 */
export async function removeOldNotifications(db: Database, days: number, rest?: Rest): Promise<number> {
  const isOlderThan = (than: number) => db.$client`created_at < now() - ${than} * interval '1 day'`
  await deleteInBatches(db, 'notification_deliveries', isOlderThan(deliveryDays), rest)
  return deleteInBatches(db, 'notifications', isOlderThan(days), rest)
}
