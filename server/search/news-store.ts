import type { Fragment, ISql } from 'postgres'
import type { Database } from '#db/client.ts'
import { allOf } from '#db/fragments.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { narrowMax } from '../deals/policy.ts'
import { type Zone, addDays, startOfDay } from '../values/zone.ts'
import type { FilterInput, NewsKind } from './filters.ts'
import { type DayRange, instantText } from './step-store.ts'

type NewsFilter = NonNullable<FilterInput['news']>

/**
 * Conditions on an event, by kind of update. JSON escapes quotes in values, so values cannot imitate a
 * change.
 */
const kindConditions: Record<NewsKind, (sql: ISql, event: Fragment) => Fragment> = {
  new: (sql, event) => sql`${event}.type = 'deal.created'`,
  updated: (sql, event) => sql`${event}.type = 'deal.updated'`,
  moved: (sql, event) =>
    sql`${event}.type = 'deal.updated' and strpos(${event}.body, '{"field":"stage",') > 0`,
}

/** Returns the condition that an event happened on these days in a zone. */
export const happenedOn = (sql: ISql, event: Fragment, { from, to }: DayRange, zone: Zone): Fragment =>
  allOf(sql, [
    ...(from === undefined
      ? []
      : [sql`${event}.created_at >= ${instantText(startOfDay(from, zone))}::timestamptz`]),
    ...(to === undefined
      ? []
      : [sql`${event}.created_at < ${instantText(startOfDay(addDays(to, 1), zone))}::timestamptz`]),
  ])

const kindsOf = (news: NewsFilter) => Object.entries(news) as [NewsKind, DayRange][]

/**
 * Returns the conditions that deals have these kinds of updates. The SQL is written so that PostgreSQL does
 * not turn it into a join, which would lose the order of a scan.
 */
export function newsConditions(sql: ISql, tenant: TenantScope, news: NewsFilter, zone: Zone): Fragment[] {
  const event = sql`event`
  const partner = isEveryone(tenant) ? sql`deals.partner_id` : sql`${tenant}`
  return kindsOf(news).map(
    ([kind, days]) => sql`coalesce(exists (
      select from events event where event.partner_id = ${partner} and event.deal_id = deals.id
        and ${kindConditions[kind](sql, event)} and ${happenedOn(sql, event, days, zone)}), false)`,
  )
}

/**
 * Returns a query for the partner and deal of events with one kind of update. Reads at most `narrowMax + 1`
 * events.
 */
export function eventsWithNews(sql: ISql, tenant: TenantScope, news: NewsFilter, zone: Zone): Fragment {
  const [kind, days] = kindsOf(news)[0]!
  const [event, limit] = [sql`event`, sql`limit ${narrowMax + 1}`]
  const ofPartner = (partner: Fragment) => sql`
    select event.partner_id, event.deal_id from events event
    where event.partner_id = ${partner} and ${kindConditions[kind](sql, event)}
      and ${happenedOn(sql, event, days, zone)} ${limit}`
  return ofPartners(sql, tenant, ofPartner)
}

/** Returns a query for the tenant's partner, or for each partner if the tenant is everyone. */
function ofPartners(sql: ISql, tenant: TenantScope, ofPartner: (partner: Fragment) => Fragment): Fragment {
  if (!isEveryone(tenant)) return ofPartner(sql`${tenant}`)
  return sql`select each.* from partners cross join lateral (${ofPartner(sql`partners.id`)}) each limit ${narrowMax + 1}`
}

/**
 * Returns a query per kind of update for the tenant's deals with updates of that kind, each deal with its
 * newest matching event.
 */
export function dealsWithNews(sql: ISql, tenant: TenantScope, news: NewsFilter, zone: Zone): Fragment[] {
  const [event, later] = [sql`event`, sql`later`]
  return kindsOf(news).map(([kind, days]) =>
    ofPartners(sql, tenant, (partner) => {
      const tells = (each: Fragment) =>
        sql`${each}.partner_id = ${partner} and ${kindConditions[kind](sql, each)} and ${happenedOn(sql, each, days, zone)}`
      return sql`
        select deals.* from events event join deals on deals.id = event.deal_id and deals.partner_id = ${partner}
        where ${tells(event)} and not exists (
          select from events later
          where ${tells(later)} and later.deal_id = event.deal_id and later.sequence > event.sequence)
        limit ${narrowMax + 1}`
    }),
  )
}

/**
 * Returns which of these deals have an event since the given time. Returns an empty set for viewers of all
 * partners.
 */
export async function dealsChangedSince(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  since: Date,
  ids: readonly bigint[],
): Promise<bigint[]> {
  if (isEveryone(tenant)) return []
  const rows = await sql<{ id: string }[]>`
    select id from unnest(${ids.map(String)}::bigint[]) as given (id)
    where exists (
      select from events where partner_id = ${tenant} and deal_id = given.id
        and created_at > ${since.toISOString()}::timestamptz)`
  return rows.map(({ id }) => BigInt(id))
}
