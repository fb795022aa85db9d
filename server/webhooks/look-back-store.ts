import type { Fragment, ISql } from 'postgres'
import { type Database, withReadOnly } from '#db/client.ts'
import { listed } from '#db/fragments.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { FilterResult, FilterTerms } from '../deals/event-facts.ts'
import type { EventType } from '../deals/event.ts'
import type { Endpoint } from './store.ts'
import { type SubscribedEvents, subscribedBy } from './subscription-wire.ts'

/** Numbers of events that a subscription would have sent or withheld. */
export interface LookBack {
  /** Time of the first counted event, or null if there were no events. */
  since: Date | null
  /** True if earlier events were omitted because they predate filters. */
  isCut: boolean
  total: number
  entered: number
  in: number
  left: number
  withheld: number
  /** Texts in the filter that do not occur in any deal. */
  unseen: { parameter: TextParameter; text: string }[]
}

const textColumns = { stage: 'stages', pipeline: 'pipelines', state: 'states' } as const satisfies Record<
  string,
  keyof FilterTerms
>
type TextParameter = keyof typeof textColumns

/** Maximum number of texts in a filter that are searched for, because each text makes counting slower. */
const textsMax = 20

/** Number of the newest events that a page reads first, which takes about 30 ms. */
const walkLength = 50_000

/** Maximum number of events read to count withheld events. */
const withheldOf = 100_000

/** The events of the last days, or the events after a sequence number. */
export type Period = { days: number } | { after: number }

/** Runs reads with custom plans, for which the planner removes the conditions that a filter does not use. */
const withOwnPlans = <T>(db: Database, work: (sql: ISql) => Promise<T>): Promise<T> =>
  withReadOnly(db, async (sql) => {
    await sql`set local plan_cache_mode = force_custom_plan`
    return work(sql)
  })

/**
 * Makes the planner evaluate the filter once per event, in parallel. Otherwise, the planner reads an index
 * until there are enough events.
 */
const atOnce = (sql: ISql) => sql`offset 0`

/** Counts the events that a subscription would have sent. */
export const lookBack = (
  db: Database,
  partnerId: PartnerId,
  subscribed: SubscribedEvents,
  period: Period,
): Promise<LookBack> =>
  withOwnPlans(db, async (sql) => {
    const { from, since, isCut } = await firstOf(sql, partnerId, period)
    const texts = (Object.entries(textColumns) as [TextParameter, keyof FilterTerms][])
      .flatMap(([parameter, key]) =>
        ((subscribed.terms?.[key] ?? []) as string[]).map((text) => ({ parameter, text })),
      )
      .slice(0, textsMax)
    const seen = texts.map(({ parameter, text }) => {
      const [before, after] = [sql(`${parameter}_before`), sql(parameter)]
      return sql`coalesce(bool_or(${before} = ${text} or ${after} = ${text}), false)`
    })
    const counted = (condition: Fragment) =>
      sql`(count(*) filter (where is_of_type and ${condition}))::integer`
    const { query } = await judged(sql, partnerId, subscribed, sql`facts.sequence > ${from}`)
    const [{ seen: isSeen, looked, ...counts }] = await sql<
      [Omit<LookBack, 'since' | 'isCut' | 'unseen'> & { looked: number; seen: boolean[] }]
    >`
      select count(*)::integer as looked, ${counted(sql`true`)} as total, ${counted(sql`result is null`)} as withheld,
        ${counted(sql`result = 'entered'`)} as entered, ${counted(sql`result = 'in'`)} as "in",
        ${counted(sql`result = 'left'`)} as "left",
        ${seen.length === 0 ? sql`'{}'::boolean[]` : sql`array[${listed(sql, seen)}]`} as seen
      from (${query} ${atOnce(sql)}) judged`
    return { since, isCut, ...counts, unseen: looked === 0 ? [] : texts.filter((_, index) => !isSeen[index]) }
  })

/** Returns how many of the newest events a subscription withheld. */
export async function countWithheld(db: Database, partnerId: PartnerId, endpoint: Endpoint): Promise<number> {
  if (endpoint.terms === null) return 0
  const after = Math.max(endpoint.sinceSequence ?? 0, (await readLast(db.$client, partnerId)) - withheldOf)
  return (await lookBack(db, partnerId, subscribedBy(endpoint), { after })).withheld
}

/** Returns the sequence number of the partner's newest event. */
async function readLast(sql: ISql, partnerId: PartnerId): Promise<number> {
  const [list] = await sql<{ last: number }[]>`
    select last_sequence::float8 as last from deal_lists where id = ${partnerId}`
  return list?.last ?? 0
}

/** An event that a subscription would have sent or withheld. */
export interface LookedAt {
  sequence: number
  type: EventType
  dealId: bigint
  at: Date
  /** Null if the event is withheld. */
  result: FilterResult | null
}

/**
 * Returns events that a subscription would have sent or withheld, newest first and before a sequence number.
 */
export const listLookedAt = (
  db: Database,
  partnerId: PartnerId,
  subscribed: SubscribedEvents,
  period: Period,
  { isSent, before, limit }: { isSent: boolean; before: number | null; limit: number },
): Promise<LookedAt[]> =>
  withOwnPlans(db, async (sql) => {
    const { from } = await firstOf(sql, partnerId, period)
    const read = async (range: Fragment, hint: Fragment, count: number) => {
      const { query } = await judged(sql, partnerId, subscribed, range)
      return sql<{ sequence: string; type: EventType; dealId: string; at: string; result: FilterResult }[]>`
        select event.sequence, event.type, event.deal_id as "dealId", event.created_at as at, chosen.result
        from (
          select sequence, result from (${query} ${hint}) judged
          where is_of_type and ${isSent ? sql`result is not null` : sql`result is null`}
          order by sequence desc limit ${count}) chosen
        join events event on event.partner_id = ${partnerId} and event.sequence = chosen.sequence
        order by event.sequence desc`
    }
    const upTo = before ?? (await readLast(sql, partnerId)) + 1
    const walkedFrom = Math.max(from, upTo - walkLength)
    const newest = await read(sql`facts.sequence > ${walkedFrom} and facts.sequence < ${upTo}`, sql``, limit)
    const missing = limit - newest.length
    const older =
      missing === 0 || walkedFrom === from
        ? []
        : await read(sql`facts.sequence > ${from} and facts.sequence <= ${walkedFrom}`, atOnce(sql), missing)
    return [...newest, ...older].map((row) => ({
      ...row,
      sequence: Number(row.sequence),
      dealId: BigInt(row.dealId),
      at: new Date(row.at),
    }))
  })

/** Returns the sequence number before the first event of a period, and the time of that event. */
async function firstOf(
  sql: ISql,
  partnerId: PartnerId,
  period: Period,
): Promise<{ from: number; since: Date | null; isCut: boolean }> {
  const isWithin =
    'days' in period
      ? sql`created_at >= now() - ${period.days} * interval '1 day' order by created_at, sequence`
      : sql`sequence > ${period.after} order by sequence`
  const [wanted] = await sql<{ sequence: string }[]>`
    select sequence from events where partner_id = ${partnerId} and ${isWithin} limit 1`
  if (wanted === undefined) return { from: Number.MAX_SAFE_INTEGER, since: null, isCut: false }
  const [first] = await sql<{ sequence: string; at: string }[]>`
    select sequence, event.created_at as at from event_facts join events event using (partner_id, sequence)
    where partner_id = ${partnerId} and sequence >= ${wanted.sequence} order by sequence limit 1`
  return {
    from: first === undefined ? Number.MAX_SAFE_INTEGER : Number(first.sequence) - 1,
    since: first === undefined ? null : new Date(first.at),
    isCut: first?.sequence !== wanted.sequence,
  }
}

/** Returns a query for these events with the result of the filter, which is null if an event is withheld. */
async function judged(
  sql: ISql,
  partnerId: PartnerId,
  { events, terms }: Pick<SubscribedEvents, 'events' | 'terms'>,
  range: Fragment,
): Promise<{ query: Fragment }> {
  // Passed as a typed value, so that the planner removes the conditions that the filter does not use.
  const [{ filter }] = await sql<[{ filter: string }]>`
    select jsonb_populate_record(null::event_filter, ${JSON.stringify(terms ?? {})}::text::jsonb)::text as filter`
  const isOfType = sql`facts.type = any(${events}::text[])`
  // Wrapped in an object, because awaiting a fragment runs it.
  return {
    query: sql`
      select facts.sequence, facts.stage_before, facts.stage, facts.pipeline_before, facts.pipeline,
        facts.state_before, facts.state, ${isOfType} as is_of_type,
        case when ${isOfType} then event_result(${filter}::event_filter, facts) end as result
      from event_facts facts
      where facts.partner_id = ${partnerId} and ${range}`,
  }
}
