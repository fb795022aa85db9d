import type { Database } from '#db/client.ts'
import { everyone } from '#server/access/actor.ts'
import type { PartnerId, TenantScope } from '#server/accounts/partner.ts'
import { findPartner } from '#server/accounts/store.ts'
import { findSimilar } from '#server/deals/find/similar-store.ts'
import { initialSort } from '#server/deals/find/wire.ts'
import { readOrCountTotals } from '#server/deals/totals/read-totals.ts'
import { scorecardTotals } from '#server/insight/scorecard/store.ts'
import { readWeek } from '#server/insight/weekly/read-week.ts'
import { weekOf } from '#server/insight/weekly/week.ts'
import { unreadMax } from '#server/notifications/policy.ts'
import { countUnread, readNotifications } from '#server/notifications/store.ts'
import { BackgroundQueue } from '#server/protocol/background.ts'
import { dayOf, mondayOf, utc } from '#server/protocol/zone.ts'
import type { Call } from './portal-calls.ts'

const findId = async (db: Database, slug: string) => (await findPartner(db, slug))!.id as PartnerId

/** Returns the tenant scopes of the partner and of viewers of all partners. */
const viewersOf = async (db: Database, slug: string) =>
  [
    ['partner', await findId(db, slug)],
    ['operator', everyone],
  ] as const satisfies [string, TenantScope][]

const totalsDepsOf = (db: Database) => ({
  db,
  background: new BackgroundQueue({ failed() {}, dropped() {} }).add,
})

const similarMax = 50
const slips = ['lopes', 'garsia', 'pheonix', 'garsia m', 'garsia nguyn pheonix', 'qqqqqq']

/** Returns searches with a typo in each word: of common names, of several, of nothing that exists. */
export async function similarCalls(db: Database, slug: string): Promise<Call[]> {
  return (await viewersOf(db, slug)).flatMap(([who, tenant]) =>
    slips.map((search) => ({
      name: `${who} finds names similar to ${search}`,
      run: () => findSimilar(db, { tenant, filter: { search }, zone: utc }, initialSort, similarMax),
    })),
  )
}

/** Returns the calls of the Scorecard page. */
export async function scorecardCalls(db: Database, slug: string): Promise<Call[]> {
  const partnerId = await findId(db, slug)
  const deps = totalsDepsOf(db)
  return [
    {
      name: 'partner opens the scorecard',
      run: () => readOrCountTotals(deps, partnerId, scorecardTotals, utc, new Date()),
    },
  ]
}

const eventRetentionDays = 30

/**
 * Returns the calls of the Week page: of this week, in which one partner's deals became visible, and without
 * events.
 */
export async function weekCalls(db: Database, slug: string, eventfulSlug: string): Promise<Call[]> {
  const deps = { ...totalsDepsOf(db), config: { eventRetentionDays } }
  const week = weekOf(mondayOf(dayOf(new Date(), utc)))
  const viewers = [
    ...(await viewersOf(db, slug)),
    ['partner with a week of news', await findId(db, eventfulSlug)],
  ] as const
  return viewers.map(([who, tenant]) => ({
    name: `${who} opens the week`,
    run: () => readWeek(deps, tenant, week, utc, new Date()),
  }))
}

const notifiedUsers = 20
const notificationsEach = 10_000
const listSize = 50

/**
 * Returns the calls that list and count notifications, for users with ten thousand: all unread, or all read
 * but the oldest.
 */
export async function notificationCalls(db: Database, slug: string): Promise<Call[]> {
  const partnerId = await findId(db, slug)
  const [member, reader, operator] = (await insertNotified(db, partnerId)) as [number, number, number]
  const users = [
    ['member', partnerId, member],
    ['member who has read all but the oldest', partnerId, reader],
    ['operator', everyone, operator],
  ] as const
  return users.flatMap(([who, tenant, userId]) => [
    {
      name: `${who} lists notifications, two pages`,
      run: async () => {
        const [last] = (await readNotifications(db, tenant, userId, null, listSize)).slice(-1)
        return readNotifications(db, tenant, userId, last!.id, listSize)
      },
    },
    { name: `${who} counts unread notifications`, run: () => countUnread(db, tenant, userId, unreadMax) },
  ])
}

/**
 * Creates users with notifications about the partner's deals. Returns three of them: members, and an operator
 * at the end.
 */
async function insertNotified({ $client: sql }: Database, partnerId: PartnerId): Promise<number[]> {
  const users = await sql<{ id: number }[]>`
    insert into users (email, name, role, partner_id)
    select 'notified' || n || '@bench.example', 'A follower', case when n = 3 then 'operator' else 'member' end,
      case when n <> 3 then ${partnerId}::integer end
    from generate_series(1, ${notifiedUsers}) n
    on conflict (email, partner_id) do update set name = excluded.name
    returning id`
  const ids = users.map(({ id }) => id)
  await sql`set statement_timeout = 0`
  await sql`
    insert into notifications (user_id, partner_id, deal_id, key, kind, changes, read_at)
    select person.id, ${partnerId}, deal.id, 'event:' || deal.n, 'stage', '{"from":"CAD","to":"Permit","isNew":false}',
      case when person.id <> ${ids[1]!} or deal.n = 1 then null else now() end
    from (
      select id, row_number() over (order by id) as n from deals where partner_id = ${partnerId} limit ${notificationsEach}) deal
    cross join unnest(${ids}::integer[]) as person (id)
    order by deal.n, person.id
    on conflict do nothing`
  await sql`analyze notifications`
  return ids.slice(0, 3)
}
