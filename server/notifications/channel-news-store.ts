import type { ISql, TransactionSql } from 'postgres'
import type { Database } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { toZone } from '../accounts/zone-choice.ts'
import { sendJobs } from '../jobs/send-store.ts'
import type { Zone } from '../values/zone.ts'
import { type DealNews, type NewsRow, dealNewsOf, type News } from './notification.ts'
import type { TeamService } from './wire.ts'

export interface NewsForChannels {
  dealId: string
  key: string
  news: News
  /** The sequence of the event, if any. Channels receive only events after their own sequence. */
  sequence?: number
}

/**
 * Adds updates to the partner's channels that want them, and sends the jobs that post them. `dueAt` is the
 * time of the post, or null for now.
 */
export async function addChannelNews(
  sql: TransactionSql,
  partnerId: PartnerId,
  news: readonly NewsForChannels[],
  dueAt: Date | null,
): Promise<void> {
  if (news.length === 0) return
  const rows = news.map(({ news: { kind, changes }, ...row }, position) => ({
    ...row,
    kind,
    changes,
    position,
  }))
  const added = await sql<{ channelId: number }[]>`
    insert into channel_news (channel_id, deal_id, key, kind, changes, due_at)
    select channel.id, deals.id, row.key, row.kind, row.changes, coalesce(${dueAt?.toISOString() ?? null}::timestamptz, now())
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as row (
      "dealId" bigint, key text, kind text, changes jsonb, sequence bigint, position integer)
    join deals on deals.id = row."dealId" and deals.partner_id = ${partnerId}
    join team_channels channel on channel.partner_id = deals.partner_id and channel.switched_off_at is null
      and row.kind = any(channel.kinds) and coalesce(row.sequence > channel.sequence, true)
    join partners on partners.id = channel.partner_id and partners.suspended_at is null
    order by row.position, channel.id
    on conflict do nothing
    returning channel_id as "channelId"`
  await sendPosts(
    sql,
    [...new Set(added.map(({ channelId }) => channelId))].map((id) => ({ id, partnerId })),
    dueAt,
  )
}

/**
 * Sends the jobs that post to channels. Each partner is a group, so that partners do not delay each other.
 */
const sendPosts = (sql: ISql, channels: readonly { id: number; partnerId: number }[], dueAt: Date | null) =>
  sendJobs(
    sql,
    'team-post',
    channels.map(({ id, partnerId }) => ({
      data: { channelId: id },
      key: id,
      group: partnerId,
      dueAt,
    })),
  )

export interface DueChannel {
  id: number
  partnerId: PartnerId
  service: TeamService
  encryptedUrl: string
  failures: number
  zone: Zone
}

/**
 * Returns a channel, or undefined if it is turned off, its partner is suspended, or its next post is not due
 * yet.
 * @system the worker
 */
export async function findDueChannel(
  { $client: client }: Database,
  id: number,
): Promise<DueChannel | undefined> {
  const [channel] = await client<(Omit<DueChannel, 'zone'> & { zone: string | null })[]>`
    select channel.id, channel.partner_id as "partnerId", channel.service, channel.encrypted_url as "encryptedUrl",
      channel.failures, coalesce(partners.time_zone, partners.usual_zone) as zone
    from team_channels channel
    join partners on partners.id = channel.partner_id and partners.suspended_at is null
    where channel.id = ${id} and channel.switched_off_at is null and channel.due_at <= now()`
  return channel && { ...channel, zone: toZone(channel.zone) }
}

/**
 * Deletes the pending updates of a channel that is turned off, or whose partner is suspended.
 * @system the worker
 */
export async function discardUnpostable({ $client: client }: Database, id: number): Promise<void> {
  await client`
    delete from channel_news using team_channels channel, partners
    where channel_news.channel_id = ${id} and channel.id = channel_news.channel_id and partners.id = channel.partner_id
      and (channel.switched_off_at is not null or partners.suspended_at is not null)`
}

/** Pending updates of a channel. */
export interface DueNews {
  /** Includes updates of deals that the partner no longer has. */
  ids: number[]
  dealCount: number
  deals: DealNews[]
}

/**
 * Returns the ids of the pending updates of a channel, the number of deals, and the updates of the first
 * `limit` deals.
 */
export async function readDueNews(
  { $client: client }: Database,
  { id, partnerId }: DueChannel,
  limit: number,
): Promise<DueNews> {
  const [all] = await client<[{ ids: number[]; dealIds: string[] }]>`
    select coalesce(array_agg(news.id)::float8[], '{}') as ids,
      array(
        select deals.id::text from channel_news news
        join deals on deals.id = news.deal_id and deals.partner_id = ${partnerId}
        where news.channel_id = ${id} and news.due_at <= now() group by deals.id order by min(news.id)) as "dealIds"
    from channel_news news where news.channel_id = ${id} and news.due_at <= now()`
  const rows = await client<NewsRow[]>`
    select deals.id::text as "dealId", coalesce(deals.json::json ->> 'dealname', '') as name, news.kind, news.changes
    from channel_news news join deals on deals.id = news.deal_id and deals.partner_id = ${partnerId}
    where news.channel_id = ${id} and news.id = any(${all.ids}::bigint[])
      and deals.id = any(${all.dealIds.slice(0, limit)}::bigint[])
    order by min(news.id) over (partition by deals.id), news.id`
  return { ids: all.ids, dealCount: all.dealIds.length, deals: dealNewsOf(rows) }
}

/**
 * Deletes posted updates, and delays the next post by `collectMs`. If `collectMs` is null, deletes updates
 * that nobody may see any more.
 */
export async function recordPost(
  { $client: client }: Database,
  { id, partnerId }: Pick<DueChannel, 'id' | 'partnerId'>,
  newsIds: readonly number[],
  collectMs: number | null,
): Promise<void> {
  await client.begin(async (sql) => {
    await sql`delete from channel_news where channel_id = ${id} and id = any(${[...newsIds]}::bigint[])`
    if (collectMs === null) return
    const [channel] = await sql<{ dueMs: number }[]>`
      update team_channels set due_at = now() + ${collectMs} * interval '1 millisecond', failures = 0,
        last_sent_at = now(), problem = null
      where id = ${id} and partner_id = ${partnerId}
      returning extract(epoch from due_at)::float8 * 1000 as "dueMs"`
    // Rounded up, because a job that runs too early would end without a post.
    if (channel !== undefined) await sendPosts(sql, [{ id, partnerId }], new Date(Math.ceil(channel.dueMs)))
  })
}

/** Records a failed attempt. Turns off a rejected channel and discards its updates. @proof the job */
export async function recordFailure(
  { $client: client }: Database,
  id: number,
  { problem, waitMs, isRejected }: { problem: string; waitMs: number; isRejected: boolean },
): Promise<void> {
  await client.begin(async (sql) => {
    await sql`
      update team_channels set due_at = now() + ${waitMs} * interval '1 millisecond', failures = failures + 1,
        failed_at = now(), problem = ${problem},
        switched_off_at = case when ${isRejected}::boolean then coalesce(switched_off_at, now()) else switched_off_at end,
        switched_off_because = case when ${isRejected}::boolean then coalesce(switched_off_because, 'rejected')
          else switched_off_because end
      where id = ${id}`
    if (isRejected) await sql`delete from channel_news where channel_id = ${id}`
  })
}
