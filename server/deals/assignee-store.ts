import type { Fragment, ISql, TransactionSql } from 'postgres'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { sendJob } from '../jobs/send-store.ts'
import { changesOf } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { narrowMax } from './policy.ts'

/**
 * The filter value for the viewer. With this value in a shared view, each team member sees their own deals.
 */
export const me = 'me'

export interface Colleague {
  id: number
  name: string
  email: string
}

export interface Assignment {
  ids: bigint[]
  userId: number | null
}

/** Returns a partner's users who have joined, in order of name. */
export const readColleagues = async (db: Database, partnerId: PartnerId): Promise<Colleague[]> => [
  ...(await db.$client<Colleague[]>`
    select id, name, email from users
    where partner_id = ${partnerId} and (password_hash is not null or seen_at is not null)
    order by lower(name), id`),
]

/**
 * Assigns the partner's deals to a user, or to nobody, and notifies the users concerned. Skips deals of other
 * partners. Returns the previous assignees.
 */
export async function assignDeals(
  tx: Transaction,
  partnerId: PartnerId,
  assignedBy: number,
  { ids, userId }: Assignment,
): Promise<Assignment[]> {
  const sql = driverTransaction(tx)
  const requested = sql`requested as (select id from deals where id = any(${ids.map(String)}::bigint[]) and partner_id = ${partnerId})`
  const changed =
    userId === null
      ? sql`delete from deal_assignees where deal_id in (select id from requested)`
      : sql`
        insert into deal_assignees (deal_id, partner_id, user_id, assigned_by)
          select id, ${partnerId}::integer, ${userId}::integer, ${assignedBy}::integer from requested
        on conflict (deal_id) do update set partner_id = excluded.partner_id, user_id = excluded.user_id,
          assigned_by = excluded.assigned_by, assigned_at = excluded.assigned_at`
  const before = await sql<{ id: string; userId: number | null }[]>`
    with ${requested}, changed as (${changed})
    select requested.id, user_id as "userId"
    from requested left join deal_assignees assigned on deal_id = requested.id and assigned.partner_id = ${partnerId}`
  const moved = before.filter((deal) => deal.userId !== userId)
  const notices = moved
    .flatMap((deal) => [
      { id: deal.id, userId: deal.userId, isAssigned: false },
      { id: deal.id, userId, isAssigned: true },
    ])
    .filter((notice) => notice.userId !== null)
  await sql`
    insert into new_assignments (deal_id, user_id, is_assigned, changed_by)
    select notice.id, notice."userId", notice."isAssigned", ${assignedBy}
    from jsonb_to_recordset(${JSON.stringify(notices)}::text::jsonb)
      as notice (id bigint, "userId" integer, "isAssigned" boolean)`
  if (notices.length > 0)
    await sendJob(sql, 'notify-of-assignments', { data: { partnerId }, group: partnerId })
  const deals = before.map(({ id }) => ({ id: BigInt(id), partnerId, stored: { partnerId } }))
  await notifyChanges(sql, changesOf(deals))
  return [...Map.groupBy(before, (deal) => deal.userId)].map(([former, alike]) => ({
    userId: former,
    ids: alike.map(({ id }) => BigInt(id)),
  }))
}

/** Returns the names of assignees by deal ID. Includes only deals of the tenant. */
export async function readAssigneeNames(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select deals.id::text as id, name
    from deals join deal_assignees assigned on assigned.deal_id = deals.id and assigned.partner_id = deals.partner_id
      join users on users.id = user_id and users.partner_id = deals.partner_id
    where deals.id = any(${ids.map(String)}::bigint[])
      and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  return new Map(rows.map(({ id, name }) => [BigInt(id), name]))
}

/** The assignee of a deal, who assigned the deal, and when (ISO 8601). */
export interface DealAssignee {
  userId: number
  name: string
  /** Null if the user who assigned the deal has been removed. */
  assignedBy: string | null
  assignedAt: string
}

/** Returns the assignee of a deal of the tenant, or null if the deal is unassigned. */
export async function readAssignee(
  db: Database,
  tenant: TenantScope,
  id: bigint,
): Promise<DealAssignee | null> {
  const sql = db.$client
  const [found] = await sql<{ userId: number; name: string; assignedBy: string | null; ms: number }[]>`
    select user_id as "userId", users.name, assigner.name as "assignedBy",
      (extract(epoch from assigned_at) * 1000)::float8 as ms
    from deals join deal_assignees assigned on assigned.deal_id = deals.id and assigned.partner_id = deals.partner_id
      join users on users.id = user_id and users.partner_id = deals.partner_id
      left join users assigner on assigner.id = assigned_by
    where deals.id = ${String(id)} and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  if (found === undefined) return null
  const { ms, ...assignee } = found
  return { ...assignee, assignedAt: new Date(ms).toISOString() }
}

/**
 * Names of assignees, `me`, or an empty string for unassigned deals. `viewerId` is the user that `me` refers
 * to.
 */
interface AssigneeFilter {
  assignees?: string[] | undefined
  viewerId?: number | undefined
}

function isAmong(sql: ISql, { assignees = [], viewerId = 0 }: AssigneeFilter): Fragment {
  const names = assignees.filter((name) => name !== '' && name !== me)
  const viewer = assignees.includes(me) ? viewerId : 0
  return sql`assigned.user_id = any(array(
    select id from users where id = ${viewer} or (name = any(${names}::text[]) and partner_id is not null)))`
}

/**
 * Returns the condition that a deal is assigned to one of these people, or that it is unassigned if the
 * filter includes that. PostgreSQL cannot turn this condition into a join.
 */
export function isAssignedTo(sql: ISql, filter: AssigneeFilter): Fragment {
  const ofDeal = sql`select from deal_assignees assigned
    where assigned.deal_id = deals.id and assigned.partner_id = deals.partner_id`
  const toAny = sql`coalesce(exists (${ofDeal} and ${isAmong(sql, filter)}), false)`
  if (!filter.assignees!.includes('')) return toAny
  return sql`(${toAny} or not coalesce(exists (${ofDeal}), false))`
}

/**
 * Returns queries for the deals assigned to people in the filter, or [] if the filter includes unassigned
 * deals.
 */
export function dealsAssignedTo(sql: ISql, tenant: TenantScope, filter: AssigneeFilter): Fragment[] {
  const { assignees = [] } = filter
  if (assignees.length === 0 || assignees.includes('')) return []
  return [
    sql`select deals.* from deal_assignees assigned join deals on deals.id = assigned.deal_id
      where ${isAmong(sql, filter)} and ${isWithin(sql, tenant, sql`assigned.partner_id`)}
      limit ${narrowMax + 1}`,
  ]
}

/** Removes the assignments of deals that are moved away from their partner. @system the writer of deals */
export async function unassignDeals(sql: TransactionSql, ids: readonly bigint[]): Promise<void> {
  if (ids.length > 0) await sql`delete from deal_assignees where deal_id = any(${ids.map(String)}::bigint[])`
}
