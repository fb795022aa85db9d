import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { lockMember } from '../accounts/limit-store.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { ApiError } from '../errors.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import type { RelativeDays } from '../search/filter-text.ts'
import type { DealFilter } from '../search/wire.ts'
import type { News } from './notification.ts'
import { followedDealsMax, followedViewsMax, unreadMax } from './policy.ts'
import type { SetNotifications } from './wire.ts'

export type NotificationSettings = SetNotifications & {
  mailProblem: string | null
}

/** Returns a user's settings, or the defaults. @proof the signed-in user's own id */
export async function readSettings(
  { $client: client }: Database,
  userId: number,
): Promise<NotificationSettings> {
  const [row] = await client<[NotificationSettings]>`
    select coalesce(setting.stage, true) as stage, coalesce(setting.dates, true) as dates,
      coalesce(setting.late, true) as late, coalesce(setting.items, true) as items,
      coalesce(setting.files, true) as files, coalesce(setting.messages, true) as messages,
      coalesce(setting.schedule, 'at-once') as schedule, coalesce(setting.hour, 7) as hour,
      coalesce(setting.at_night, false) as "atNight", coalesce(setting.by_mail, true) as "byMail",
      setting.mail_problem as "mailProblem"
    from (select) as one left join notification_settings setting on setting.user_id = ${userId}`
  return row
}

/** Stores a user's settings. @proof the signed-in user's own id */
export async function saveSettings(
  tx: Transaction,
  userId: number,
  { stage, dates, late, items, files, messages, schedule, hour, atNight, byMail }: SetNotifications,
): Promise<void> {
  await driverTransaction(tx)`
    insert into notification_settings
      (user_id, stage, dates, late, items, files, messages, schedule, hour, at_night, by_mail)
    values (${userId}, ${stage}, ${dates}, ${late}, ${items}, ${files}, ${messages}, ${schedule}, ${hour}, ${atNight}, ${byMail})
    on conflict (user_id) do update set stage = excluded.stage, dates = excluded.dates, late = excluded.late,
      items = excluded.items, files = excluded.files, messages = excluded.messages, schedule = excluded.schedule,
      hour = excluded.hour, at_night = excluded.at_night, by_mail = excluded.by_mail`
}

/** Resumes mail to a user whose e-mail address was rejected. @proof the signed-in user's own id */
export async function clearRejection(tx: Transaction, userId: number): Promise<void> {
  await driverTransaction(tx)`
    update notification_settings set mail_rejected_at = null, mail_problem = null where user_id = ${userId}`
}

/** Stops mail to a user. Returns false if the user does not exist. @proof the signed link in a mail */
export async function stopMail(db: Database, userId: number): Promise<boolean> {
  const { count } = await db.$client`
    insert into notification_settings (user_id, by_mail) select id, false from users where id = ${userId}
    on conflict (user_id) do update set by_mail = false`
  return count > 0
}

/**
 * Returns a user's e-mail address and whether mail is sent to it, or undefined if the user does not exist.
 * @proof the signed link in a mail
 */
export async function readMailChoice(
  db: Database,
  userId: number,
): Promise<{ email: string; byMail: boolean } | undefined> {
  const [row] = await db.$client<{ email: string; byMail: boolean }[]>`
    select email, coalesce(by_mail, true) as "byMail" from users
    left join notification_settings on user_id = users.id where users.id = ${userId}`
  return row
}

export interface FollowState {
  isFollowing: boolean
  /** True if the deal names the user and is therefore followed by default. */
  isNamed: boolean
}

/** Returns whether a user follows a deal of the tenant, or undefined if the deal does not exist. */
export async function readFollow(
  { $client: client }: Database,
  tenant: TenantScope,
  userId: number,
  dealId: bigint,
): Promise<FollowState | undefined> {
  const [row] = await client<{ isOn: boolean | null; isNamed: boolean }[]>`
    select follow.is_on as "isOn", exists (
      select from user_people own where own.user_id = ${userId} and own.person_id = any(deals.people)) as "isNamed"
    from deals left join follows follow on follow.deal_id = deals.id and follow.user_id = ${userId}
    where deals.id = ${String(dealId)} and ${isWithin(client, tenant)}`
  return row && { isFollowing: row.isOn ?? row.isNamed, isNamed: row.isNamed }
}

/** Follows or unfollows deals of the tenant. Returns the number of deals. */
export async function followDeals(
  tx: Transaction,
  tenant: TenantScope,
  userId: number,
  dealIds: readonly bigint[],
  isOn: boolean,
): Promise<number> {
  const client = driverTransaction(tx)
  if (isOn) await requireRoomForFollows(tx, userId, dealIds)
  const followed = await client`
    with deal as (
      select id from deals where id = any(${dealIds.map(String)}::bigint[]) and ${isWithin(client, tenant)}),
    saved as (
      insert into follows (user_id, deal_id, is_on) select ${userId}, id, ${isOn} from deal
      on conflict (deal_id, user_id) do update set is_on = excluded.is_on returning id)
    select from deal where (select count(*) from saved) >= 0`
  if (isOn) await beginCursors(tx, tenant)
  return followed.length
}

/** @throws ApiError 400 if the user would follow too many deals */
async function requireRoomForFollows(tx: Transaction, userId: number, dealIds: readonly bigint[]) {
  await lockMember(tx, userId)
  const [{ others }] = await driverTransaction(tx)<[{ others: number }]>`
    select count(*)::int as others from follows
    where user_id = ${userId} and is_on and deal_id <> all(${dealIds.map(String)}::bigint[])`
  if (others + dealIds.length > followedDealsMax)
    throw new ApiError(
      'BAD_REQUEST',
      `You can follow at most ${followedDealsMax} deals; unfollow some first, or follow a view`,
    )
}

/**
 * Creates missing cursors of the tenant at the last event, so that followers are notified of later events.
 */
export async function beginCursors(tx: Transaction, tenant: TenantScope): Promise<void> {
  const client = driverTransaction(tx)
  await client`
    insert into notification_cursors (partner_id, sequence)
    select partners.id, coalesce(list.last_sequence, 0)
    from partners left join deal_lists list on list.id = partners.id
    where ${isWithin(client, tenant, client`partners.id`)}
    on conflict do nothing`
}

/**
 * Follows a view that the user can see, with its current filter, or unfollows it. Returns `missing` if the
 * view does not exist, `full` if the user already follows the maximum.
 */
export async function followView(
  tx: Transaction,
  tenant: TenantScope,
  userId: number,
  { viewId, filter, relativeDays }: { viewId: number; filter: DealFilter | null; relativeDays: RelativeDays },
): Promise<'followed' | 'missing' | 'full'> {
  const client = driverTransaction(tx)
  const isHere = isEveryone(tenant) ? client`partner_id is null` : client`partner_id = ${tenant}`
  const [view] = await client`
    select from views where id = ${viewId} and (user_id = ${userId} or is_shared) and ${isHere} for key share`
  if (view === undefined) return 'missing'
  await lockMember(tx, userId)
  if (filter === null) {
    await client`delete from follows where user_id = ${userId} and view_id = ${viewId}`
    return 'followed'
  }
  const [{ others }] = await client<[{ others: number }]>`
    select count(*)::int as others from follows where user_id = ${userId} and view_id <> ${viewId}`
  if (others >= followedViewsMax) return 'full'
  await client`
    insert into follows (user_id, view_id, filter, relative_days)
    values (${userId}, ${viewId}, ${JSON.stringify(filter)}::text::jsonb, ${JSON.stringify(relativeDays)}::text::jsonb)
    on conflict (view_id, user_id) do update set filter = excluded.filter, relative_days = excluded.relative_days`
  await beginCursors(tx, tenant)
  return 'followed'
}

/** Returns the views that a user follows, with their filters. @proof the signed-in user's own id */
export function readFollowedViews(
  { $client: client }: Database,
  userId: number,
): Promise<{ viewId: number; filter: DealFilter; relativeDays: RelativeDays }[]> {
  return client<{ viewId: number; filter: DealFilter; relativeDays: RelativeDays }[]>`
    select view_id as "viewId", filter, relative_days as "relativeDays" from follows where user_id = ${userId} and view_id is not null
    order by view_id`
}

export interface OwnPerson {
  id: number
  name: string
  email: string
  dealCount: number
  isConfirmed: boolean
}

/**
 * Returns the people named in the tenant's deals who have the user's e-mail address or name, and confirmed
 * people.
 */
export async function readOwnPeople(
  { $client: client }: Database | { $client: ReturnType<typeof driverTransaction> },
  tenant: TenantScope,
  userId: number,
): Promise<OwnPerson[]> {
  const rows = await client<OwnPerson[]>`
    with alike as materialized (
      select person.id, person.name, person.email, own.user_id is not null as is_confirmed
      from people person
      join users viewer on viewer.id = ${userId}
      left join user_people own on own.person_id = person.id and own.user_id = viewer.id
      where own.user_id is not null or lower(person.email) = viewer.email or lower(person.name) = lower(viewer.name))
    select id, name, email, is_confirmed as "isConfirmed", (
      select count(*)::integer from deals where people @> array[alike.id] and ${isWithin(client, tenant)}) as "dealCount"
    from alike order by name, email, id`
  return rows.filter(({ dealCount, isConfirmed }) => dealCount > 0 || isConfirmed)
}

/**
 * Returns the names that refer to the user in deals: confirmed names or, until there are any, names with the
 * user's e-mail address.
 * @proof the signed-in user's own id
 */
export async function readNamesOf({ $client: client }: Database, userId: number): Promise<string[]> {
  const rows = await client<{ name: string; isConfirmed: boolean }[]>`
    select distinct person.name, own.user_id is not null as "isConfirmed"
    from users viewer
    join people person on person.email = viewer.email
      or person.id = any(array(select person_id from user_people where user_id = viewer.id))
    left join user_people own on own.person_id = person.id and own.user_id = viewer.id
    where viewer.id = ${userId}`
  const hasConfirmed = rows.some(({ isConfirmed }) => isConfirmed)
  return rows.filter(({ isConfirmed }) => isConfirmed || !hasConfirmed).map(({ name }) => name)
}

/** Confirms that these people are the user, and follows their deals. Ignores people who were not proposed. */
export async function confirmPeople(
  tx: Transaction,
  tenant: TenantScope,
  userId: number,
  personIds: readonly number[],
): Promise<void> {
  const client = driverTransaction(tx)
  const proposed = new Set((await readOwnPeople({ $client: client }, tenant, userId)).map(({ id }) => id))
  const chosen = personIds.filter((id) => proposed.has(id))
  await client`delete from user_people where user_id = ${userId} and person_id <> all(${chosen}::integer[])`
  await client`
    insert into user_people (user_id, person_id) select ${userId}, unnest(${chosen}::integer[])
    on conflict do nothing`
  await beginCursors(tx, tenant)
}

export type ListedNotification = News & {
  id: number
  dealId: string
  dealName: string
  at: Date
  isRead: boolean
}

/**
 * Returns at most `limit` notifications of a user about deals of the tenant, newest first, starting before
 * the id `before`.
 */
export async function readNotifications(
  { $client: client }: Database,
  tenant: TenantScope,
  userId: number,
  before: number | null,
  limit: number,
): Promise<ListedNotification[]> {
  const rows = await client<(Omit<ListedNotification, 'at'> & { atMs: number })[]>`
    select notification.id::float8, notification.kind, notification.changes, deals.id::text as "dealId",
      coalesce(deals.json::json ->> 'dealname', '') as "dealName",
      extract(epoch from notification.created_at)::float8 * 1000 as "atMs", notification.read_at is not null as "isRead"
    from notifications notification
    join deals on deals.id = notification.deal_id and deals.partner_id = notification.partner_id
    where notification.user_id = ${userId} and ${isWithin(client, tenant, client`deals.partner_id`)}
      and ${before === null ? client`true` : client`notification.id < ${before}`}
    order by notification.id desc limit ${limit}`
  return rows.map(({ atMs, ...row }) => ({ ...row, at: new Date(atMs) }) as ListedNotification)
}

/** Returns the number of a user's unread notifications, up to `unreadMax`. */
export async function countUnread(
  { $client: client }: Database,
  tenant: TenantScope,
  userId: number,
): Promise<number> {
  const [row] = await client<[{ count: number }]>`
    select count(*)::integer as count from (
      select from notifications notification
      join deals on deals.id = notification.deal_id and deals.partner_id = notification.partner_id
      where notification.user_id = ${userId} and notification.read_at is null
        and ${isWithin(client, tenant, client`deals.partner_id`)}
      limit ${unreadMax}) as unread`
  return row.count
}

/** Marks a user's notifications about one deal of the tenant, or about all deals (null), as read. */
export async function markRead(
  db: Database,
  tenant: TenantScope,
  userId: number,
  dealId: bigint | null,
): Promise<void> {
  await db.transaction(async (tx) => {
    const client = driverTransaction(tx)
    const { count } = await client`
      update notifications set read_at = now()
      where user_id = ${userId} and read_at is null
        and ${dealId === null ? client`true` : client`deal_id = ${String(dealId)}`}
        and ${isWithin(client, tenant)}`
    if (count > 0) await notifyChanges(client, { ...noChanges(), notifications: new Set([userId]) })
  })
}
