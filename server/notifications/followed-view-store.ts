import type { Fragment, ISql, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { me } from '../deals/assignee-store.ts'
import type { EventType } from '../deals/event.ts'
import { type Query, conditionOf } from '../search/condition-store.ts'
import { type RelativeDays, filterOn, keysByDay } from '../search/filter-text.ts'
import { resolveQuery } from '../search/resolve-query.ts'
import { type DealState, findStates, readStates } from '../search/state-store.ts'
import type { DealFilter } from '../search/wire.ts'
import { type Zone, dayOf } from '../values/zone.ts'
import { maySee } from './delivery-store.ts'
import type { ViewMoves } from './notification.ts'
import { dayMovesMax } from './policy.ts'

/** Returns the time zone of `person`, whose partner is `home`. */
export const zoneOf = (sql: ISql): Fragment =>
  sql`coalesce(person.time_zone, home.time_zone, home.usual_zone, 'UTC')`

/** A followed view that contains a deal at the time of an update, or contained it before. */
export interface ViewMatch {
  sequence: number
  userId: number
  viewId: number
  viewName: string
  /** Whether the event moved the deal into or out of the view. */
  move: keyof ViewMoves | null
}

/** Returns the views that a deal has entered and left, for each user and update. */
export function movesOf(inViews: readonly ViewMatch[]) {
  const moves = new Map<string, { sequence: number; userId: number; changes: { views: ViewMoves } }>()
  for (const { sequence, userId, viewName, move } of inViews) {
    if (move === null) continue
    const key = `${sequence} ${userId}`
    const change = moves.get(key) ?? { sequence, userId, changes: { views: { entered: [], left: [] } } }
    change.changes.views[move].push(viewName)
    moves.set(key, change)
  }
  return [...moves.values()]
}

interface FollowedView {
  userId: number
  viewId: number
  viewName: string
  filter: DealFilter
  relativeDays: RelativeDays
  email: string
  timeZone: string
}

/** Returns the views followed by users who may see the partner's deals. Identical views are grouped. */
async function readFollowedViews(sql: TransactionSql, partnerId: PartnerId): Promise<FollowedView[][]> {
  const followed = await sql<FollowedView[]>`
    select person.id as "userId", view.id as "viewId", view.name as "viewName", follow.filter,
      follow.relative_days as "relativeDays", person.email, ${zoneOf(sql)} as "timeZone"
    from follows follow
    join views view on view.id = follow.view_id and (view.user_id = follow.user_id or view.is_shared)
    join users person on person.id = follow.user_id
    left join partners home on home.id = person.partner_id
    where ${maySee(sql, sql`${partnerId}::integer`)}
      and (view.partner_id = ${partnerId} or view.partner_id is null and person.role = 'operator')
    order by view.id, person.id`
  const isOfViewer = ({ isMine, assignees }: DealFilter) => isMine === true || assignees?.includes(me)
  const groups = Map.groupBy(followed, ({ filter, userId, timeZone }) =>
    JSON.stringify([filter, timeZone, isOfViewer(filter) ? userId : 0]),
  )
  return [...groups.values()]
}

/** Runs a query once per group of identical views and returns the results. */
async function findInViews<Found>(
  sql: TransactionSql,
  partnerId: PartnerId,
  groups: readonly FollowedView[][],
  find: (inner: TransactionSql, query: Query, view: FollowedView) => Promise<Found[]>,
): Promise<{ group: FollowedView[]; found: Found[] }[]> {
  const results: { group: FollowedView[]; found: Found[] }[] = []
  for (const group of groups) {
    const [view] = group as [FollowedView]
    const { filter, relativeDays, userId: id, email } = view
    const zone = toZone(view.timeZone)
    const actor = { tenant: partnerId, zone, user: { id, email } }
    const query = await resolveQuery(actor, filterOn(filter, relativeDays, dayOf(new Date(), zone)))
    // An invalid filter of an older version must not prevent other notifications.
    const found = await (sql.savepoint((inner) => find(inner, query, view)) as Promise<Found[]>).catch(
      () => [],
    )
    results.push({ group, found })
  }
  return results
}

/** Returns the followed views that contain each updated deal. */
export async function readViewMatches(
  sql: TransactionSql,
  partnerId: PartnerId,
  news: readonly { sequence: number; dealId: string }[],
): Promise<ViewMatch[]> {
  const bySequence = Map.groupBy(news, ({ dealId }) => dealId)
  const results = await findInViews(
    sql,
    partnerId,
    await readFollowedViews(sql, partnerId),
    (inner, query) => inner<{ id: string }[]>`
      select id::text from deals where id = any(${[...bySequence.keys()]}::bigint[]) and ${conditionOf(inner, query)}`,
  )
  return results.flatMap(({ group, found }) =>
    found.flatMap(({ id }) =>
      bySequence
        .get(id)!
        .flatMap(({ sequence }) =>
          group.map(({ userId, viewId, viewName }) => ({ sequence, userId, viewId, viewName, move: null })),
        ),
    ),
  )
}

/** Returns the followed views that contain deals after their events, or contained them before. */
export async function readEventMatches(
  db: Database,
  sql: TransactionSql,
  partnerId: PartnerId,
  events: readonly { sequence: number; type: EventType }[],
): Promise<ViewMatch[]> {
  const groups = await readFollowedViews(sql, partnerId)
  if (groups.length === 0) return []
  const sequences = events.map(({ sequence }) => sequence)
  const states = await readStates(db, sql, partnerId, sequences)
  const isNew = new Set(events.flatMap(({ sequence, type }) => (type === 'deal.created' ? [sequence] : [])))
  const results = await findInViews(sql, partnerId, groups, (inner, query) =>
    findStates(inner, states, query),
  )
  return results.flatMap(({ group, found }) =>
    [...Map.groupBy(found, ({ sequence }) => sequence)].flatMap(([sequence, deals]) => {
      const move = isNew.has(sequence) ? null : moveOf(deals)
      return group.map(({ userId, viewId, viewName }) => ({ sequence, userId, viewId, viewName, move }))
    }),
  )
}

/** Returns whether a deal entered or left a view between these states, or null. */
function moveOf(states: readonly DealState[]): keyof ViewMoves | null {
  if (states.length > 1) return null
  return states[0]!.isAfter ? 'entered' : 'left'
}

interface DayMove extends Omit<ViewMatch, 'sequence'> {
  dealId: string
  move: keyof ViewMoves
}

/**
 * Returns the deals that match a followed view on only one of these two days in a zone. The filters of such
 * views depend on the day: lateness, step durations and relative days. Returns at most `dayMovesMax` deals
 * per view.
 */
export async function readDayMoves(
  sql: TransactionSql,
  partnerId: PartnerId,
  zone: Zone,
  days: { from: string; to: string },
): Promise<DayMove[]> {
  const groups = (await readFollowedViews(sql, partnerId)).filter(
    ([view]) => view!.timeZone === zone && keysByDay(view!.filter, view!.relativeDays).length > 0,
  )
  const results = await findInViews(sql, partnerId, groups, (inner, query, { filter, relativeDays }) => {
    const byDay = new Set<string>(keysByDay(filter, relativeDays))
    const part = (whole: DealFilter, isByDay: boolean): DealFilter =>
      Object.fromEntries(Object.entries(whole).filter(([key]) => byDay.has(key) === isByDay))
    const matchesOn = (today: string) =>
      conditionOf(inner, { ...query, today, filter: part(filterOn(filter, relativeDays, today), true) })
    return inner<{ dealId: string; move: keyof ViewMoves }[]>`
      select id::text as "dealId", case when is_in then 'entered' else 'left' end as move
      from (
        select id, coalesce(${matchesOn(days.to)}, false) as is_in, coalesce(${matchesOn(days.from)}, false) as was_in
        from deals where ${conditionOf(inner, { ...query, filter: part(query.filter, false) })}) as each
      where is_in <> was_in order by id limit ${dayMovesMax}`
  })
  return results.flatMap(({ group, found }) =>
    found.flatMap((each) =>
      group.map(({ userId, viewId, viewName }) => ({ ...each, userId, viewId, viewName })),
    ),
  )
}
