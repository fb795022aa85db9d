import type { TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { minuteMs } from '../values/units.ts'
import { addNotifications } from './delivery-store.ts'
import type { NewNotification } from './notification.ts'

const assignmentsAtOnce = 500

// Delay of notifications. A change that is undone within this time is never sent.
const waitMs = minuteMs

/**
 * Notifies users of deals that others have assigned to them or taken from them. A change that is undone
 * within ten minutes withdraws the unsent notifications instead. Returns whether there may be more changes.
 */
export async function fanOutAssignments(db: Database, partnerId: PartnerId): Promise<boolean> {
  return db.$client.begin(async (sql) => {
    // Locked, because another process might send a change that this one withdraws.
    const changes = await sql<Assigned[]>`
      with taken as (
        delete from new_assignments where id = any(array(
          select id from new_assignments
          where deal_id in (select id from deals where partner_id = ${partnerId})
          order by id limit ${assignmentsAtOnce} for update))
        returning *)
      select taken.id::float8, taken.deal_id::text as "dealId", taken.user_id as "userId", taken.is_assigned as "isAssigned",
        deals.partner_id as "partnerId", changer.id as "changedBy", changer.name as "changerName",
        assigned.user_id as "assignedTo", assignee.name as "assigneeName"
      from taken
      join deals on deals.id = taken.deal_id
      left join deal_assignees assigned on assigned.deal_id = deals.id and assigned.partner_id = deals.partner_id
      left join users assignee on assignee.id = assigned.user_id
      -- Older versions did not store who made the change.
      left join users changer on changer.id = coalesce(
        taken.changed_by, case when taken.is_assigned then assigned.assigned_by end)
      order by taken.id`
    const changed = netOf(changes)
    const undone = await takeBack(sql, changed)
    const rows = changed.filter((change) => !undone.has(nameOf(change))).flatMap(notificationOf)
    await addNotifications(sql, rows, { waitMs })
    return changes.length === assignmentsAtOnce
  }) as Promise<boolean>
}

interface Assigned {
  id: number
  dealId: string
  userId: number
  isAssigned: boolean
  partnerId: number | null
  changedBy: number | null
  changerName: string | null
  assignedTo: number | null
  assigneeName: string | null
}

const nameOf = ({ dealId, userId }: Pick<Assigned, 'dealId' | 'userId'>) => `${dealId} ${userId}`

/** Returns the last change of each deal and user, except if it restores the original state. */
const netOf = (changes: readonly Assigned[]): Assigned[] =>
  [...Map.groupBy(changes, nameOf).values()].flatMap((ofUser) => {
    const last = ofUser.at(-1)!
    return ofUser[0]!.isAssigned === last.isAssigned ? [last] : []
  })

function notificationOf(change: Assigned): NewNotification[] {
  const { id, dealId, userId, isAssigned, partnerId, changedBy, changerName, assignedTo } = change
  if (partnerId === null || changedBy === userId || (isAssigned && assignedTo !== userId)) return []
  const about = { userId, partnerId, dealId: BigInt(dealId), kind: 'messages' } as const
  if (isAssigned) return [{ ...about, key: `assigned:${id}`, changes: { assignedBy: changerName } }]
  const isReassigned = assignedTo !== null && assignedTo !== userId
  const changes = {
    unassignedBy: changerName,
    assignedTo: isReassigned && assignedTo !== changedBy ? change.assigneeName : null,
    isTakenOver: isReassigned && assignedTo === changedBy,
  }
  return [{ ...about, key: `unassigned:${id}`, changes }]
}

/**
 * Withdraws unsent notifications that these changes make obsolete. Returns the `nameOf` of the withdrawn
 * ones.
 */
async function takeBack(sql: TransactionSql, changes: readonly Assigned[]): Promise<Set<string>> {
  if (changes.length === 0) return new Set()
  const removed = await sql<{ dealId: string; userId: number }[]>`
    delete from notifications notification
    using jsonb_to_recordset(${JSON.stringify(changes)}::text::jsonb)
      as change ("dealId" bigint, "userId" integer, "isAssigned" boolean)
    where notification.deal_id = change."dealId" and notification.user_id = change."userId"
      and starts_with(notification.key, case when change."isAssigned" then 'unassigned:' else 'assigned:' end)
      and notification.created_at > now() - interval '10 minutes'
      and not exists (
        select from notification_deliveries delivery
        where delivery.user_id = notification.user_id and notification.id = any(delivery.notification_ids)
          and (delivery.sent_at is not null or delivery.leased_until > now()))
    returning notification.deal_id::text as "dealId", notification.user_id as "userId"`
  const userIds = new Set(removed.map(({ userId }) => userId))
  if (userIds.size > 0) await notifyChanges(sql, { ...noChanges(), notifications: userIds })
  return new Set(removed.map(nameOf))
}
