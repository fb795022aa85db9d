import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { ISql } from 'postgres'
import type { Database, Transaction } from '#db/client.ts'
import { dealLists } from '#db/schema/deals.ts'
import { teamChannels } from '#db/schema/notifications.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { toZone } from '../../accounts/zone-choice.ts'
import type { EventType } from '../../deals/event.ts'
import { isInOpenStage } from '../../deals/find/status-store.ts'
import { type DayRange, columnIsOnDays } from '../../deals/find/step-store.ts'
import type { MilestoneName } from '../../deals/milestones/milestone.ts'
import { filesOfDeals } from '../../files/visible-store.ts'
import { type Zone, addDays, dayOf, wallClock } from '../../protocol/zone.ts'
import { type EventChange, type News, newsOf } from '../notification.ts'
import type { TeamKind, TeamService } from './wire.ts'

const shown = {
  id: teamChannels.id,
  name: teamChannels.name,
  service: teamChannels.service,
  shownUrl: teamChannels.shownUrl,
  kinds: teamChannels.kinds,
  switchedOffAt: teamChannels.switchedOffAt,
  switchedOffBecause: teamChannels.switchedOffBecause,
  lastSentAt: teamChannels.lastSentAt,
  failedAt: teamChannels.failedAt,
  problem: teamChannels.problem,
}

/** Returns the channels of a partner, oldest first, without their URLs. */
export const readChannels = (db: Database, partnerId: PartnerId) =>
  db
    .select(shown)
    .from(teamChannels)
    .where(eq(teamChannels.partnerId, partnerId))
    .orderBy(asc(teamChannels.id))

/** A channel to add. */
export interface NewChannel {
  name: string
  service: TeamService
  encryptedUrl: string
  shownUrl: string
  kinds: TeamKind[]
}

/** Inserts a channel, which gets news from now on. Returns false if the partner already has `max`. */
export async function insertChannel(
  tx: Transaction,
  partnerId: PartnerId,
  channel: NewChannel,
  { zone, max }: { zone: Zone; max: number },
): Promise<boolean> {
  // Locks the list, so that nothing else is counted in the meantime.
  const [list] = await tx
    .select({ sequence: dealLists.lastSequence })
    .from(dealLists)
    .where(eq(dealLists.id, partnerId))
    .for('update')
  if ((await tx.$count(teamChannels, eq(teamChannels.partnerId, partnerId))) >= max) return false
  await tx.insert(teamChannels).values({
    ...channel,
    partnerId,
    sequence: list?.sequence ?? 0,
    lateUntil: dayOf(new Date(), zone),
  })
  return true
}

/** A channel, looked up only together with its partner. */
export interface ChannelName {
  partnerId: PartnerId
  id: number
}

const named = ({ partnerId, id }: ChannelName) =>
  and(eq(teamChannels.partnerId, partnerId), eq(teamChannels.id, id))

/** Returns a channel with its encrypted URL. */
export async function findChannel(db: Database | Transaction, name: ChannelName) {
  const [channel] = await db
    .select({ ...shown, encryptedUrl: teamChannels.encryptedUrl })
    .from(teamChannels)
    .where(named(name))
  return channel
}

/** Changes a channel's name and kinds of news. Returns the name, or undefined without the channel. */
export async function updateChannel(
  tx: Transaction,
  name: ChannelName,
  change: { name: string; kinds: TeamKind[] },
): Promise<string | undefined> {
  const [row] = await tx
    .update(teamChannels)
    .set(change)
    .where(named(name))
    .returning({ name: teamChannels.name })
  return row?.name
}

/** Switches a channel on for news from now on, or off. Returns its name, or undefined without the channel. */
export async function switchChannel(
  tx: Transaction,
  name: ChannelName,
  isOn: boolean,
  zone: Zone,
): Promise<string | undefined> {
  const [row] = await tx
    .update(teamChannels)
    .set(
      isOn
        ? {
            switchedOffAt: null,
            switchedOffBecause: null,
            sequence: sql`coalesce((select last_sequence from deal_lists where id = ${teamChannels.partnerId}), 0)`,
            filesUntil: sql`now()`,
            lateUntil: dayOf(new Date(), zone),
            dueAt: sql`now()`,
            failures: 0,
            problem: null,
            failedAt: null,
          }
        : { switchedOffAt: sql`now()`, switchedOffBecause: 'admin' as const },
    )
    .where(
      and(
        named(name),
        isOn ? sql`${teamChannels.switchedOffAt} is not null` : isNull(teamChannels.switchedOffAt),
      ),
    )
    .returning({ name: teamChannels.name })
  return row?.name
}

/** Deletes a channel. Returns its name, or undefined without the channel. */
export async function deleteChannel(tx: Transaction, name: ChannelName): Promise<string | undefined> {
  const [row] = await tx.delete(teamChannels).where(named(name)).returning({ name: teamChannels.name })
  return row?.name
}

/** A channel that one worker holds until its lease ends. */
export interface LeasedChannel {
  id: number
  lease: number
  partnerId: PartnerId
  service: TeamService
  encryptedUrl: string
  kinds: TeamKind[]
  failures: number
  position: Position
  zone: Zone
}

/** The position up to which a channel has been sent news. */
export interface Position {
  sequence: number
  /** ISO 8601, to the microsecond. */
  filesUntil: string
  lateUntil: string
}

/** Leases due channels, longest due first. @system the worker */
export async function leaseChannels(
  { $client: client }: Database,
  limit: number,
  leaseMs: number,
): Promise<LeasedChannel[]> {
  const rows = await client<
    (Omit<LeasedChannel, 'zone' | 'position'> & Position & { zone: string | null })[]
  >`
    update team_channels channel
    set lease = channel.lease + 1, leased_until = now() + ${leaseMs} * interval '1 millisecond'
    from partners
    where partners.id = channel.partner_id and partners.suspended_at is null
      and channel.id = any(array(
        select due.id from team_channels due
        where due.due_at <= now() and due.switched_off_at is null
          and (due.leased_until is null or due.leased_until <= now())
        order by due.due_at limit ${limit} for update skip locked))
    returning channel.id, channel.lease, channel.partner_id as "partnerId", channel.service,
      channel.encrypted_url as "encryptedUrl", channel.kinds, channel.failures, channel.sequence::float8 as sequence,
      channel.files_until::text as "filesUntil", channel.late_until as "lateUntil",
      coalesce(partners.time_zone, partners.usual_zone) as zone`
  return rows.map(({ sequence, filesUntil, lateUntil, zone, ...channel }) => ({
    ...channel,
    position: { sequence, filesUntil, lateUntil },
    zone: toZone(zone),
  }))
}

/** News of a deal, and its name; empty without one. */
export interface DealNews {
  id: string
  name: string
  news: News[]
}

const eventsMax = 1000
const othersMax = 200
/** The hour, in the partner's zone, at which newly late deals are posted. */
const lateHour = 7

/**
 * Returns unposted news of the partner's deals, and the sequence up to which it was read. Reads only the
 * first of very many events; then `dealCount` counts all deals with events.
 * @proof the lease
 */
export async function readTeamNews(
  { $client: client }: Database,
  { partnerId, kinds, position, zone }: LeasedChannel,
  now: Date,
): Promise<{ deals: DealNews[]; dealCount: number; position: Position }> {
  const end = await readEnd(client, partnerId, position)
  const today = dayOf(now, zone)
  const isDay = Number(wallClock(now.getTime(), zone).slice(11, 13)) >= lateHour
  const lateUntil = isDay ? today : position.lateUntil
  const lateDays = { from: position.lateUntil, to: addDays(lateUntil, -1) }
  const { news: events, isAll } = await readEvents(
    client,
    partnerId,
    { ...position, until: end.sequence },
    zone,
  )
  const all = [
    ...events,
    ...(kinds.includes('files')
      ? await readFiles(client, partnerId, position.filesUntil, end.filesUntil)
      : []),
    ...(kinds.includes('late') && position.lateUntil < lateUntil
      ? await readLate(client, partnerId, lateDays, zone)
      : []),
  ]
  const deals = new Map<string, DealNews>()
  for (const { id, name, news } of all) {
    const told = news.filter(({ kind }) => (kinds as string[]).includes(kind))
    if (told.length > 0) deals.set(id, { id, name, news: [...(deals.get(id)?.news ?? []), ...told] })
  }
  const dealCount = isAll
    ? deals.size
    : await countChanged(client, partnerId, position.sequence, end.sequence)
  return { deals: [...deals.values()], dealCount, position: { ...end, lateUntil } }
}

/**
 * Returns the position up to which events and files are read. A file becomes visible a minute late, when the
 * transaction that wrote it must be over.
 */
async function readEnd(client: ISql, partnerId: PartnerId, position: Position) {
  const [end] = await client<{ sequence: number; filesUntil: string }[]>`
    select last_sequence::float8 as sequence, (now() - interval '1 minute')::text as "filesUntil"
    from deal_lists where id = ${partnerId}`
  return end ?? { sequence: position.sequence, filesUntil: position.filesUntil }
}

const nameOfDeal = (client: ISql) => client`coalesce(deals.json::json ->> 'dealname', '')`

async function readEvents(
  client: ISql,
  partnerId: PartnerId,
  { sequence: after, until }: { sequence: number; until: number },
  zone: Zone,
) {
  const rows = await client<
    { id: string; name: string; type: EventType; stage: string | null; changes: EventChange[] | null }[]
  >`
    select deals.id::text, ${nameOfDeal(client)} as name, event.type,
      event.body::json #>> '{data,stage}' as stage, event.body::json -> 'changes' as changes
    from events event join deals on deals.id = event.deal_id and deals.partner_id = ${partnerId}
    where event.partner_id = ${partnerId} and event.sequence > ${after} and event.sequence <= ${until}
    order by event.sequence limit ${eventsMax}`
  const news = rows.map(({ id, name, type, stage, changes }) => ({
    id,
    name,
    news: newsOf(type, stage, changes ?? [], zone),
  }))
  return { news, isAll: rows.length < eventsMax }
}

async function readFiles(
  client: ISql,
  partnerId: PartnerId,
  after: string,
  until: string,
): Promise<DealNews[]> {
  const rows = await client<{ id: string; name: string; fileId: string; fileName: string }[]>`
    select deals.id::text, ${nameOfDeal(client)} as name, files.id as "fileId", files.name as "fileName"
    from ${filesOfDeals(client)} join deals on deals.id = files.deal_id and deals.partner_id = ${partnerId}
    where files.created_at > ${after}::timestamptz and files.created_at <= ${until}::timestamptz
    order by files.created_at limit ${othersMax}`
  return rows.map(({ id, name, fileId, fileName }) => ({
    id,
    name,
    news: [{ kind: 'files', changes: { id: fileId, name: fileName } }],
  }))
}

async function readLate(client: ISql, partnerId: PartnerId, days: DayRange, zone: Zone): Promise<DealNews[]> {
  const rows = await client<{ id: string; name: string; step: MilestoneName | null; dueMs: number }[]>`
    select id::text, ${nameOfDeal(client)} as name, due_step as step,
      extract(epoch from due_at)::float8 * 1000 as "dueMs" from deals
    where partner_id = ${partnerId} and ${columnIsOnDays(client, client`due_at`, days, zone)}
      and ${isInOpenStage(client)}
    order by due_at limit ${othersMax}`
  return rows.map(({ id, name, step, dueMs }) => ({
    id,
    name,
    news: [{ kind: 'late', changes: { step, due: new Date(dueMs).toISOString(), isLate: true } }],
  }))
}

async function countChanged(
  client: ISql,
  partnerId: PartnerId,
  after: number,
  until: number,
): Promise<number> {
  const [row] = await client<[{ count: number }]>`
    select count(distinct deal_id)::integer as count from events
    where partner_id = ${partnerId} and sequence > ${after} and sequence <= ${until}`
  return row.count
}

/** The result for a leased channel. */
export type ChannelResult = Pick<LeasedChannel, 'id' | 'lease'> & { waitMs: number } & (
    | { state: 'nothing' | 'posted'; position: Position }
    | { state: 'failed' | 'rejected'; problem: string }
  )

/** Records a result while its lease is held. Returns whether it did. @proof the lease */
export async function recordChannel({ $client: client }: Database, result: ChannelResult): Promise<boolean> {
  const { id, lease, waitMs } = result
  const due = client`leased_until = null, due_at = now() + ${waitMs} * interval '1 millisecond'`
  const held = client`id = ${id} and lease = ${lease} and leased_until is not null`
  if ('problem' in result) {
    const off = result.state === 'rejected'
    const { count } = await client`
      update team_channels set ${due}, failures = failures + 1, failed_at = now(), problem = ${result.problem},
        switched_off_at = case when ${off}::boolean then coalesce(switched_off_at, now()) else switched_off_at end,
        switched_off_because = case when ${off}::boolean then coalesce(switched_off_because, 'rejected')
          else switched_off_because end
      where ${held}`
    return count > 0
  }
  const { sequence, filesUntil, lateUntil } = result.position
  const sent = result.state === 'posted'
  const { count } = await client`
    update team_channels set ${due}, sequence = greatest(sequence, ${sequence}::bigint),
      files_until = greatest(files_until, ${filesUntil}::timestamptz), late_until = greatest(late_until, ${lateUntil}),
      failures = case when ${sent}::boolean then 0 else failures end,
      last_sent_at = case when ${sent}::boolean then now() else last_sent_at end,
      problem = case when ${sent}::boolean then null else problem end
    where ${held}`
  return count > 0
}
