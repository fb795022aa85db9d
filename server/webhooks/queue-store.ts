import type { Database } from '#db/client.ts'
import { listenTo } from '#db/listen.ts'
import type { PartnerId } from '../accounts/partner.ts'
import type { DeliveryState, EndpointKey } from './delivery.ts'
import { slowedForMs } from './policy.ts'

/** Number of connections that a process needs for the queue. */
export const queueConnections = 4

/**
 * PostgreSQL settings for planning the queue's statements. Each statement looks up a few rows by index,
 * regardless of the number of waiting deliveries. A plan cached while the tables are small would scan the
 * whole tables.
 */
export const queueSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/** Identifies an endpoint of a partner in the queue. */
export interface EndpointName {
  partnerId: PartnerId
  kind: EndpointKey
}

export interface Leased {
  id: number
  /** Lease version, which proves that a result belongs to this lease. */
  lease: number
  messageId: string
  /** Number of attempts so far in the current schedule. */
  step: number
  /** Number of rejections since the last attempt that counted. */
  refusals: number
  isSlowed: boolean
  url: string
  body: string
}

/** The result of an attempt, and the delivery's next step. */
export interface Recorded {
  id: number
  lease: number
  state: DeliveryState
  /** Time until the next attempt. Null unless the delivery is waiting. */
  waitMs: number | null
  startedAt: Date
  durationMs: number
  url: string
  signature: string
  status: number | null
  error: string | null
  responseHeaders: string
  responseBody: string
  /** Resulting pause of the endpoint. Null unless the endpoint asked for fewer requests. */
  pauseMs: number | null
  /** True if the attempt does not use up a step of the schedule. */
  isFree: boolean
}

/**
 * Leases up to `limit` due deliveries of an endpoint, oldest first. Skips deals with an earlier pending
 * delivery, and the deliveries in `own`, which this worker has already leased.
 */
export async function leaseDue(
  db: Database,
  { partnerId, kind }: EndpointName,
  limit: number,
  own: number[],
  leaseMs: number,
): Promise<Leased[]> {
  const sql = db.$client
  return sql<Leased[]>`
    with due as materialized (
      select delivery.id, delivery.partner_id, delivery.sequence, endpoint.url, ${isSlowed(db)} as is_slowed
      from endpoints endpoint
      join deliveries delivery on delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
      where endpoint.partner_id = ${partnerId} and endpoint.kind = ${kind}
        and endpoint.switched_off_at is null and (endpoint.paused_until is null or endpoint.paused_until <= now())
        and delivery.state = 'waiting' and delivery.due_at <= now()
        and (delivery.leased_until is null or delivery.leased_until <= now())
        and delivery.id <> all(${own}::bigint[])
        -- By state and sequence, never by time: then deliveries_chain is the only index of waiting deliveries
        -- that the planner can use.
        and not exists (
          select from deliveries earlier
          join endpoints same on same.partner_id = earlier.partner_id and same.kind = earlier.kind
            and same.url = endpoint.url
          where earlier.partner_id = delivery.partner_id and earlier.deal_id = delivery.deal_id
            and earlier.sequence < delivery.sequence and earlier.state = 'waiting')
      -- A literal, not a parameter: the planner must know that they are few.
      order by delivery.due_at, delivery.sequence limit ${sql.unsafe(String(Math.trunc(limit)))}
      for update of delivery skip locked
    )
    update deliveries delivery
    set leased_until = now() + ${leaseMs} * interval '1 millisecond', lease = delivery.lease + 1
    from due left join events event on event.partner_id = due.partner_id and event.sequence = due.sequence
    where delivery.id = due.id
    returning delivery.id::float8, delivery.lease, delivery.message_id as "messageId",
      delivery.step, delivery.refusals, due.is_slowed as "isSlowed", due.url,
      coalesce(delivery.test_body, sent_body(event.body, delivery.filter)) as body`
}

/** Returns the condition that an endpoint was slowed recently. */
const isSlowed = ({ $client: sql }: Database) =>
  sql`endpoint.paused_until is not null and endpoint.paused_until > now() - ${slowedForMs} * interval '1 millisecond'`

/** Inserts a test delivery that is already leased. Returns undefined if the endpoint is not set. */
export async function leaseTest(
  db: Database,
  { partnerId, kind }: EndpointName,
  body: string,
  leaseMs: number,
): Promise<Leased | undefined> {
  const [leased] = await db.$client<Leased[]>`
    with delivery as (
      insert into deliveries (partner_id, kind, test_body, due_at, leased_until, lease, step)
      -- Beyond the end of every schedule: it is sent once.
      select partner_id, kind, ${body}, now(), now() + ${leaseMs} * interval '1 millisecond', 1, 1000
      from endpoints where partner_id = ${partnerId} and kind = ${kind} for key share
      returning id, lease, message_id, step, test_body
    )
    select delivery.id::float8, delivery.lease, delivery.message_id as "messageId", delivery.step,
      0 as refusals, false as "isSlowed", endpoint.url, delivery.test_body as body
    from delivery, endpoints endpoint where endpoint.partner_id = ${partnerId} and endpoint.kind = ${kind}`
  return leased
}

/** Renews the leases of long attempts. @proof the leases */
export async function renewLeases(db: Database, leases: LeaseProof[], leaseMs: number): Promise<void> {
  await db.$client`
    update deliveries delivery set leased_until = now() + ${leaseMs} * interval '1 millisecond'
    where id = any(array(${lockLeases(db, leases)})) and delivery.leased_until is not null`
}

/** Releases leases that have no result. Their deliveries keep their due times. @proof the leases */
export async function releaseLeases(db: Database, leases: LeaseProof[]): Promise<void> {
  await db.$client`
    update deliveries delivery set leased_until = null
    where id = any(array(${lockLeases(db, leases)})) and delivery.state = 'waiting'`
}

type LeaseProof = Pick<Leased, 'id' | 'lease'>

/**
 * Locks the deliveries whose leases are valid. Uses the same order as resends and withdrawals to prevent
 * deadlocks.
 */
function lockLeases({ $client: sql }: Database, leases: LeaseProof[]) {
  const ids = leases.map(({ id }) => id)
  return sql`
    select delivery.id from deliveries delivery
    join unnest(${ids}::bigint[], ${leases.map(({ lease }) => lease)}::integer[]) as proof (id, lease) using (id)
    where delivery.id = any(${ids}::bigint[]) and delivery.lease = proof.lease
    order by delivery.created_at, delivery.id for update of delivery`
}

/** An endpoint with deliveries to send. */
export interface Pending extends EndpointName {
  due: boolean
  /**
   * Milliseconds until the next delivery becomes due or the endpoint's pause ends. Null if that is later than
   * `withinMs`.
   */
  nextMs: number | null
}

/** Returns the endpoints with deliveries to send within `withinMs`. @system the worker */
export async function findPending(db: Database, withinMs: number): Promise<Pending[]> {
  // Computes `due` and `nextMs` separately, because a leased delivery must not hide the next delivery.
  const pending = await db.$client<(Pending & { pausedMs: number | null })[]>`
    select endpoint.partner_id as "partnerId", endpoint.kind,
      -- Not "exists", for which the planner may collect everything due.
      (endpoint.paused_until is null or endpoint.paused_until <= now()) and (select true from deliveries delivery
        where delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
          and delivery.state = 'waiting' and delivery.due_at <= now()
          and (delivery.leased_until is null or delivery.leased_until <= now()) limit 1) is true as due,
      (select extract(epoch from min(delivery.due_at) - now()) * 1000 from deliveries delivery
        where delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
          and delivery.state = 'waiting'
          and delivery.due_at > now()
          and delivery.due_at <= now() + ${withinMs} * interval '1 millisecond')::float8 as "nextMs",
      extract(epoch from endpoint.paused_until - now())::float8 * 1000 as "pausedMs"
    from endpoints endpoint
    where endpoint.switched_off_at is null
      and (endpoint.paused_until is null or endpoint.paused_until <= now() + ${withinMs} * interval '1 millisecond')`
  return pending
    .map(({ pausedMs, ...endpoint }) =>
      pausedMs !== null && pausedMs > 0 ? { ...endpoint, nextMs: pausedMs } : endpoint,
    )
    .filter(({ due, nextMs }) => due || nextMs !== null)
}

/** An endpoint that was disabled because of this result. */
export interface SwitchedOff extends EndpointName {
  url: string
  because: 'gone' | 'failing'
}

/**
 * Records the attempts whose leases are valid, and their effects: next attempts, later deliveries of the same
 * deals, state of the endpoints, and e-mails to admins. Returns the recorded ids, and the endpoints disabled
 * by a 410 or after failing for `failingMs`. Idempotent.
 * @proof the leases
 */
export async function recordAttempts(
  db: Database,
  results: Recorded[],
  failingMs: number,
): Promise<{ ids: Set<number>; switchedOff: SwitchedOff[] }> {
  const ids = results.map(({ id }) => id)
  // Uses one statement, because a worker that is paused or disconnected between two statements would keep its
  // locks.
  const [row] = await db.$client<[{ ids: number[]; switchedOff: SwitchedOff[] }]>`
    with result as (select * from jsonb_to_recordset(${JSON.stringify(results)}::text::jsonb) as result (
      id bigint, lease integer, state text, "waitMs" bigint, "startedAt" timestamptz, "durationMs" integer,
        url text, signature text,
      status smallint, error text, "responseHeaders" text, "responseBody" text,
      "pauseMs" bigint, "isFree" boolean)),
    -- The lock reads their current state. Writers of endpoints lock in the same order.
    endpoint as materialized (
      select * from endpoints where partner_id in (select partner_id from deliveries where id = any(${ids}::bigint[]))
      order by partner_id, kind for no key update),
    recorded as (
      update deliveries delivery set
        leased_until = null, last_status = result.status,
        -- Repeated refusals share one row of the log.
        attempt_count = delivery.attempt_count + case when result."isFree" and delivery.refusals > 0 then 0 else 1 end,
        refusals = case when result."isFree" then least(delivery.refusals + 1, 32767) else 0 end,
        -- A delivery withdrawn in the meantime is not attempted again.
        state = case
          when result.state = 'waiting' and delivery.withdrawn_because is not null then 'failed'
          else result.state end,
        step = delivery.step + case when result."isFree" then 0 else 1 end,
        finished_at = case when result.state <> 'waiting' or delivery.withdrawn_because is not null then now() end,
        -- An endpoint whose URL has changed in the meantime need not wait for the previous one.
        due_at = case when delivery.withdrawn_because is null then now() + result."waitMs" * interval '1 millisecond' * (select count(*) from endpoint
          where endpoint.partner_id = delivery.partner_id and endpoint.kind = delivery.kind
            and endpoint.url = result.url) end
      from result where delivery.id = any(${ids}::bigint[]) and delivery.id = result.id
        and delivery.lease = result.lease and delivery.leased_until is not null
        -- Always true; it locks the endpoints before the deliveries, which prevents deadlocks.
        and (select count(*) from endpoint) >= 0
      returning delivery.id, delivery.partner_id, delivery.kind, delivery.deal_id, delivery.sequence,
        delivery.state, delivery.due_at,
        delivery.attempt_count, result.url, result.status, result.error, result."startedAt" as started_at,
        result."pauseMs" as pause_ms),
    logged as (
      insert into attempts (delivery_id, number, started_at, duration_ms, url, signature, status, error,
        response_headers, response_body)
      select id, recorded.attempt_count, result."startedAt", result."durationMs", result.url,
        result.signature, result.status, result.error,
        result."responseHeaders", result."responseBody"
      from recorded join result using (id)
      on conflict (delivery_id, number) do update set started_at = excluded.started_at,
        duration_ms = excluded.duration_ms, url = excluded.url, signature = excluded.signature,
        status = excluded.status, error = excluded.error, response_headers = excluded.response_headers,
        response_body = excluded.response_body, refusals = attempts.refusals + 1),
    ${movedFollowers(db, ids)},
    ${endpointVerdicts(db, failingMs)},
    ${sentNotices(db)}
    select (select count(sent) from notified)::integer as notified, array(select id::float8 from recorded) as ids,
      array(select jsonb_build_object('partnerId', partner_id, 'kind', kind, 'url', url, 'because', because)
        from verdicts where because is not null) as "switchedOff"`
  return { ids: new Set(row.ids), switchedOff: row.switchedOff }
}

/** Returns the CTEs that set the due times of later deliveries for the deals in `recorded`. */
function movedFollowers({ $client: sql }: Database, ids: number[]) {
  return sql`
    -- Followers of a waiting delivery wait as long; those of a finished one are due. Results are excluded: no
    -- row may change twice.
    follower as materialized (
      select waiting.id, waiting.new_due_at
      from recorded join endpoint own on own.partner_id = recorded.partner_id and own.kind = recorded.kind
      cross join lateral (
        select waiting.id, coalesce(recorded.due_at, now()) as new_due_at from deliveries waiting
        join endpoint same on same.partner_id = waiting.partner_id and same.kind = waiting.kind
          and same.url = own.url
        where waiting.partner_id = recorded.partner_id and waiting.deal_id = recorded.deal_id
          and waiting.sequence > recorded.sequence
          and waiting.state = 'waiting' and waiting.step = 0 and waiting.id <> all(${ids}::bigint[])
          -- In a case, so that the planner does not use the index by time.
          and case when recorded.due_at is null then waiting.due_at > now()
            else waiting.due_at < recorded.due_at end
        offset 0) waiting),
    -- By an array of ids, not a join: the planner could start a join with all waiting deliveries, which it
    -- takes for one row.
    moved as (
      update deliveries delivery
      set due_at = (select new_due_at from follower where follower.id = delivery.id limit 1)
      where delivery.id = any(array(select id from follower)) and delivery.state = 'waiting')`
}

/** Returns the CTE that sends an e-mail job for each disabled URL. */
const sentNotices = ({ $client: sql }: Database) => sql`
    notified as materialized (
      select send_job('notify-switched-off',
        jsonb_build_object('partnerId', partner_id, 'url', url, 'because', because, 'hasEnded', has_ended),
        concat(partner_id, ' ', url), partner_id::text)::text as sent
      from (select partner_id, url, because,
          because = 'gone' and bool_and(kind not in ('create', 'update')) as has_ended
        from verdicts where because is not null group by partner_id, url, because) as off)`

/** Returns the CTEs that update the state of endpoints based on `recorded`, and disable failing endpoints. */
function endpointVerdicts({ $client: sql }: Database, failingMs: number) {
  return sql`
    outcomes as (
      select partner_id, url, coalesce(bool_or(status = 410), false) as gone,
        bool_or(state = 'delivered') as delivered,
        (array_agg(coalesce(error, status::text) order by started_at desc) filter (where state <> 'delivered'))[1] as answer,
        max(pause_ms) as pause_ms, max(status) filter (where pause_ms is not null) as slowed_status
      from recorded where sequence is not null group by partner_id, url),
    verdicts as (
      select partner_id, kind, url, endpoint.failing_since as failed_since,
        case when gone or not delivered then coalesce(endpoint.failing_since, now()) end as failing_since,
        case when gone or not delivered then answer end as failing_answer,
        endpoint.failing_answer as failed_answer,
        case when gone or not delivered then endpoint.check_answer end as check_answer,
        endpoint.check_answer as checked_answer,
        case when outcomes.pause_ms is not null
            then greatest(endpoint.paused_until, now() + outcomes.pause_ms * interval '1 millisecond')
          -- Once nothing was refused for a while, it is no longer slowed.
          when not delivered or ${isSlowed({ $client: sql } as Database)} then endpoint.paused_until end as paused_until,
        endpoint.paused_until as was_paused_until,
        coalesce(outcomes.slowed_status, endpoint.slowed_status) as slowed_status,
        case when endpoint.switched_off_at is not null then null when gone then 'gone'
          when not delivered and endpoint.failing_since <= now() - ${failingMs} * interval '1 millisecond' then 'failing' end as because
      from outcomes join endpoint using (partner_id, url)),
    updated as (
      update endpoints endpoint set failing_since = verdicts.failing_since,
        failing_answer = verdicts.failing_answer, check_answer = verdicts.check_answer,
        paused_until = verdicts.paused_until, slowed_status = verdicts.slowed_status,
        switched_off_at = case when because is null then endpoint.switched_off_at else now() end,
        switched_off_because = coalesce(because, endpoint.switched_off_because)
      from verdicts where endpoint.partner_id = verdicts.partner_id and endpoint.kind = verdicts.kind
        -- Only on a change, because each attempt would write the row.
        and (because is not null or verdicts.failing_since is distinct from failed_since
          or verdicts.failing_answer is distinct from failed_answer
          or verdicts.paused_until is distinct from was_paused_until
          or verdicts.check_answer is distinct from checked_answer))`
}

/** Callbacks for database notifications to a worker. */
export interface QueueListener {
  wake(endpoint: EndpointName): void
  /** Called when a leased delivery was withdrawn because its deal left the partner. */
  withdraw(endpoint: EndpointName, id: number): void
  /** Called when the listening connection is established or restored. Earlier notifications may be lost. */
  ready(): void
}

/** Listens for changes in the queue until stopped. @system the worker */
export const listenToQueue = (db: Database, { wake, withdraw, ready }: QueueListener) =>
  listenTo(db, ['deliveries', 'withdrawals'], {
    onMessage(payload, channel) {
      const { id, ...endpoint } = parsePayload(payload)
      if (channel === 'withdrawals') withdraw(endpoint, Number(id))
      else wake(endpoint)
    },
    onListening: ready,
    onLost() {},
  })

function parsePayload(payload: string) {
  const [partnerId, kind, id] = payload.split(':')
  return { partnerId: Number(partnerId) as PartnerId, kind: kind!, id }
}

/** The backlog of deliveries, excluding disabled endpoints. */
export interface Backlog {
  /** Number of deliveries that wait for earlier deliveries or for their next attempt. */
  waiting: number
  /**
   * Time in seconds by which the most overdue delivery is late, excluding slowed endpoints. 0 if no delivery
   * is due.
   */
  oldestDueS: number
  endpointsSlowed: number
  /** Longest time in seconds that an endpoint has been failing, or 0 if no endpoint is failing. */
  longestFailingS: number
}

/**
 * Returns the backlog of all partners. Reads waiting deliveries only from an index.
 * @system metrics
 */
export async function measureBacklog(db: Database): Promise<Backlog> {
  const [backlog] = await db.$client<[Backlog]>`
    select coalesce(sum(queue.waiting), 0)::float8 as waiting,
      greatest(extract(epoch from now() - min(queue.due_at) filter (where not endpoint.is_slowed)), 0)::float8
        as "oldestDueS",
      count(*) filter (where endpoint.is_slowed)::float8 as "endpointsSlowed",
      greatest(extract(epoch from now() - min(endpoint.failing_since)), 0)::float8 as "longestFailingS"
    from (
      select *, ${isSlowed(db)} as is_slowed from endpoints endpoint
    ) endpoint
    cross join lateral (
      select count(*) as waiting, min(delivery.due_at) as due_at from deliveries delivery
      where delivery.partner_id = endpoint.partner_id and delivery.kind = endpoint.kind
        and delivery.state = 'waiting' and delivery.due_at is not null
    ) queue
    where endpoint.switched_off_at is null`
  return backlog
}
