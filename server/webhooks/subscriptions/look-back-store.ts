import type { Fragment } from 'postgres'
import type { Database } from '#db/client.ts'
import { allOf, listed } from '#db/fragments.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import type { FilterResult, FilterTerms } from '../../deals/event-facts.ts'
import type { EventType } from '../../deals/event.ts'
import type { SubscribedEvents } from './wire.ts'

/** What a subscription would have sent. */
export interface LookBack {
  /** The time of the first event that was looked at; null without events. */
  since: Date | null
  /** Whether earlier events were left out, because they are older than filters. */
  isCut: boolean
  /** The events of its types. */
  total: number
  entered: number
  in: number
  left: number
  /** The texts of its filter that no deal had, by parameter. */
  unseen: { parameter: TextParameter; text: string }[]
}

const textColumns = { stage: 'stages', pipeline: 'pipelines', state: 'states' } as const satisfies Record<
  string,
  keyof FilterTerms
>
type TextParameter = keyof typeof textColumns

/** Texts are looked for while the events are counted, which costs a little for each. */
const textsMax = 20

/** The events to look at: those of some days, or those after a sequence. */
export type Period = { days: number } | { after: number }

/** Counts what a subscription would have sent. */
export async function lookBack(
  db: Database,
  partnerId: PartnerId,
  subscribed: Omit<SubscribedEvents, 'filter'>,
  period: Period,
): Promise<LookBack> {
  const sql = db.$client
  const { from, since, isCut } = await firstOf(db, partnerId, period)
  const texts = (Object.entries(textColumns) as [TextParameter, keyof FilterTerms][])
    .flatMap(([parameter, key]) =>
      ((subscribed.terms?.[key] ?? []) as string[]).map((text) => ({ parameter, text })),
    )
    .slice(0, textsMax)
  const seen = texts.map(({ parameter, text }) => {
    const [before, after] = [sql(`${parameter}_before`), sql(parameter)]
    return sql`coalesce(bool_or(${before} = ${text} or ${after} = ${text}), false)`
  })
  const terms = await compiled(db, subscribed.terms)
  // Grouped, so that the filter is evaluated once for each event.
  const rows = await sql<
    { isOfType: boolean; result: FilterResult | null; count: number; seen: boolean[] }[]
  >`
    select is_of_type as "isOfType", result, count(*)::integer as count,
      ${seen.length === 0 ? sql`'{}'::boolean[]` : sql`array[${listed(sql, seen)}]`} as seen
    from (${judged(db, partnerId, { ...subscribed, terms }, from)}) judged group by 1, 2`
  const ofType = rows.filter(({ isOfType }) => isOfType)
  const countOf = (result: FilterResult) => ofType.find((row) => row.result === result)?.count ?? 0
  return {
    since,
    isCut,
    total: ofType.reduce((sum, { count }) => sum + count, 0),
    entered: countOf('entered'),
    in: countOf('in'),
    left: countOf('left'),
    unseen: rows.length === 0 ? [] : texts.filter((_, index) => !rows.some((row) => row.seen[index])),
  }
}

/** An event that a subscription would have sent or withheld. */
export interface LookedAt {
  sequence: number
  type: EventType
  dealId: bigint
  at: Date
  /** Null if it is withheld. */
  result: FilterResult | null
}

/**
 * Returns at most `limit` events of its types that a subscription would have sent, or those that it would have withheld,
 * newest first and before a sequence.
 */
export async function listLookedAt(
  db: Database,
  partnerId: PartnerId,
  subscribed: Omit<SubscribedEvents, 'filter'>,
  period: Period,
  { isSent, before, limit }: { isSent: boolean; before: number | null; limit: number },
): Promise<LookedAt[]> {
  const sql = db.$client
  const { from } = await firstOf(db, partnerId, period)
  const terms = await compiled(db, subscribed.terms)
  const rows = await sql<
    (Omit<LookedAt, 'dealId' | 'sequence' | 'at'> & { sequence: string; dealId: string; at: string })[]
  >`
    select event.sequence, event.type, event.deal_id as "dealId", event.created_at as at, chosen.result
    from (
      select sequence, result from (${judged(db, partnerId, { ...subscribed, terms }, from, before)}) judged
      where is_of_type and ${isSent ? sql`result is not null` : sql`result is null`}
      order by sequence desc limit ${limit}) chosen
    join events event on event.partner_id = ${partnerId} and event.sequence = chosen.sequence
    order by event.sequence desc`
  return rows.map((row) => ({
    ...row,
    sequence: Number(row.sequence),
    dealId: BigInt(row.dealId),
    at: new Date(row.at),
  }))
}

/** Returns the sequence before the first event to look at, and its time. */
async function firstOf(
  { $client: sql }: Database,
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

/**
 * Returns a filter as text of the type `event_filter`. As a constant, the conditions that it does not have cost nothing.
 */
async function compiled({ $client: sql }: Database, terms: FilterTerms | null): Promise<string> {
  const [row] = await sql<[{ text: string }]>`
    select jsonb_populate_record(null::event_filter, ${JSON.stringify(terms ?? {})}::text::jsonb)::text as text`
  return row.text
}

/** Returns the query of the events after a sequence, each with how it passes; null if it is withheld. */
function judged(
  { $client: sql }: Database,
  partnerId: PartnerId,
  { events, terms, changed }: Omit<SubscribedEvents, 'filter' | 'terms'> & { terms: string },
  from: number,
  before: number | null = null,
): Fragment {
  const isChanged =
    changed === null ? sql`true` : sql`(facts.type <> 'deal.updated' or facts.changed && ${changed}::text[])`
  const isOfType = sql`facts.type = any(${events}::text[])`
  const conditions = [
    sql`facts.partner_id = ${partnerId} and facts.sequence > ${from}`,
    ...(before === null ? [] : [sql`facts.sequence < ${before}`]),
  ]
  return sql`
    select facts.sequence, facts.stage_before, facts.stage, facts.pipeline_before, facts.pipeline,
      facts.state_before, facts.state, ${isOfType} as is_of_type,
      case when ${isOfType} and ${isChanged} then event_result(${terms}::event_filter, facts) end as result
    from event_facts facts
    where ${allOf(sql, conditions)}`
}
