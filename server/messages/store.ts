import type { TransactionSql } from 'postgres'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId, TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { filesOfThreads } from '../files/visible-store.ts'
import { noChanges } from '../live/change.ts'
import { notifyChanges } from '../live/store.ts'
import { addNotifications } from '../notifications/delivery-store.ts'
import { cutText } from '../values/short-text.ts'
import { sendQuestionMails } from './mail-store.ts'
import { areVisible } from './page-store.ts'
import {
  messagesPerThreadMax,
  readBeforeMailMs,
  threadsPerDealMax,
  usualAnswerDays,
  usualAnswerMin,
} from './policy.ts'
import { nameOfDeal, type Mentionable } from './thread.ts'

export interface ThreadRow {
  id: number
  partner: string
  isMoved: boolean
  /** The beginning of the question's text. */
  text: string
  authorName: string
  isInstaller: boolean
  createdAt: Date
  waitingSince: Date | null
  resolvedAt: Date | null
  messageCount: number
  unreadCount: number
}

/** Returns the questions about a deal of the tenant. Unresolved questions come first, then the newest. */
export async function readThreads(
  { $client: sql }: Database,
  tenant: TenantScope,
  dealId: bigint,
  userId: number,
): Promise<ThreadRow[]> {
  const rows = await sql<Stored<ThreadRow>[]>`
    select threads.id, partners.name as partner,
           deals.partner_id is distinct from threads.partner_id as "isMoved",
           left(first.text, 300) as text, first.author_name as "authorName", first.is_installer as "isInstaller",
           threads.created_at as "createdAt", waiting_since as "waitingSince", resolved_at as "resolvedAt",
           counts.all as "messageCount", counts.unread as "unreadCount"
    from threads
      join deals on deals.id = threads.deal_id
      join partners on partners.id = threads.partner_id
      cross join lateral (
        select text, author_name, is_installer from messages where thread_id = threads.id order by id limit 1
      ) as first
      cross join lateral (
        select count(*)::int as all,
               (count(*) filter (
                 where threads.resolved_at is null and user_id is distinct from ${userId}
                   and messages.id > coalesce((select message_id from thread_reads
                                               where thread_reads.thread_id = threads.id
                                                 and thread_reads.user_id = ${userId}), 0)
               ))::int as unread
        from messages where thread_id = threads.id
      ) as counts
    where threads.deal_id = ${String(dealId)} and ${areVisible(sql, tenant)}
    order by threads.resolved_at is not null, threads.id desc
    limit ${threadsPerDealMax}`
  return rows.map((row) => ({
    ...row,
    createdAt: new Date(row.createdAt),
    waitingSince: toDate(row.waitingSince),
    resolvedAt: toDate(row.resolvedAt),
  }))
}

/** An unresolved question as shown on Home. */
export interface OpenThread {
  id: number
  dealId: string
  dealName: string
  text: string
  createdAt: Date
  waitingSince: Date | null
}

const openThreadsMax = 4

/**
 * Returns unresolved questions of the tenant, from one user or from everyone. Answered questions come first,
 * then those waiting longest.
 */
export async function readOpenThreads(
  { $client: sql }: Database,
  tenant: TenantScope,
  userId: number | null,
): Promise<OpenThread[]> {
  const rows = await sql<(Stored<Omit<OpenThread, 'dealName'>> & { json: string })[]>`
    select threads.id, deal_id::text as "dealId", left(first.text, 300) as text,
           threads.created_at as "createdAt", waiting_since as "waitingSince", deals.json
    from threads
      join deals on deals.id = threads.deal_id
      cross join lateral (select text from messages where thread_id = threads.id order by id limit 1) as first
    where resolved_at is null and ${areVisible(sql, tenant)}
      and ${userId === null ? sql`true` : sql`threads.user_id = ${userId}`}
    order by waiting_since nulls first, threads.id desc
    limit ${openThreadsMax}`
  return rows.map(({ json, ...row }) => ({
    ...row,
    dealName: nameOfDeal(row.dealId, json),
    createdAt: new Date(row.createdAt),
    waitingSince: toDate(row.waitingSince),
  }))
}

/** A row as the driver returns it, with timestamps as text. */
type Stored<Row> = {
  [Name in keyof Row]: Row[Name] extends Date | null ? string | Extract<Row[Name], null> : Row[Name]
}

const toDate = (text: string | null) => (text === null ? null : new Date(text))

export interface FoundThread {
  id: number
  dealId: bigint
  partnerId: PartnerId
  isMoved: boolean
  isResolved: boolean
}

/** Returns a thread of the tenant, or undefined. */
export async function findThread(
  { $client: sql }: Database,
  tenant: TenantScope,
  id: number,
): Promise<FoundThread | undefined> {
  const [thread] = await sql<(Omit<FoundThread, 'dealId'> & { dealId: string })[]>`
    select threads.id, deal_id as "dealId", threads.partner_id as "partnerId",
           deals.partner_id is distinct from threads.partner_id as "isMoved",
           resolved_at is not null as "isResolved"
    from threads join deals on deals.id = threads.deal_id
    where threads.id = ${id} and ${areVisible(sql, tenant)}`
  return thread && { ...thread, dealId: BigInt(thread.dealId) }
}

interface AttachedFile {
  id: string
  name: string
  type: string
  sizeBytes: number
}

export interface StoredMessage {
  id: number
  authorName: string
  isInstaller: boolean
  isMine: boolean
  text: string
  mentions: string[]
  createdAt: Date
  files: AttachedFile[]
}

/**
 * Returns the newest messages of a thread of the tenant, or the messages before a given one, oldest first.
 */
export async function readMessages(
  { $client: sql }: Database,
  tenant: TenantScope,
  threadId: number,
  userId: number,
  { before, limit }: { before: number | null; limit: number },
): Promise<StoredMessage[]> {
  const rows = await sql<Stored<StoredMessage>[]>`
    select messages.id::float8 as id, author_name as "authorName", is_installer as "isInstaller",
           messages.user_id is not distinct from ${userId} as "isMine", text,
           coalesce((select json_agg(name) from users where users.id = any(mentions)), '[]') as mentions,
           messages.created_at as "createdAt",
           coalesce((select json_agg(json_build_object('id', files.id, 'name', files.name, 'type', files.type,
                                                       'sizeBytes', files.size_bytes) order by files.created_at, files.id)
                     from message_files join ${filesOfThreads(sql)} on files.id = message_files.file_id
                     where message_files.message_id = messages.id), '[]') as files
    from messages
      join threads on threads.id = messages.thread_id
      join deals on deals.id = threads.deal_id
    where messages.thread_id = ${threadId} and ${areVisible(sql, tenant)}
      and ${before === null ? sql`true` : sql`messages.id < ${before}`}
    order by messages.id desc limit ${limit}`
  return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) })).toReversed()
}

/**
 * Returns the people that a message may mention: the partner's team and the operators who take part in the
 * thread. An operator may mention all operators.
 */
export async function readMentionable(
  { $client: sql }: Database,
  { partnerId, threadId, isOperator }: { partnerId: PartnerId; threadId: number | null; isOperator: boolean },
): Promise<Mentionable[]> {
  return sql<Mentionable[]>`
    select id, name from users
    where (password_hash is not null or seen_at is not null)
      and (partner_id = ${partnerId} or (role = 'operator' and (${isOperator} or exists (
        select from messages where thread_id = ${threadId} and messages.user_id = users.id))))
    order by role = 'operator', name, id`
}

export interface NewMessage {
  userId: number
  isInstaller: boolean
  text: string
  mentions: number[]
  /** Ids of files that belong to the deal and to threads of the partner. */
  files: readonly string[]
  /** True to mail the message to the people responsible for the deal. */
  isMailed: boolean
}

export type MessageProblem = 'missing' | 'moved' | 'full' | 'files'

/**
 * Inserts a question about a deal of the partner. Returns the ids of the thread and the message, or the
 * problem.
 */
export async function insertQuestion(
  tx: Transaction,
  partnerId: PartnerId,
  dealId: bigint,
  message: NewMessage,
): Promise<{ threadId: number; messageId: number } | MessageProblem> {
  const sql = driverTransaction(tx)
  // Locked, so that the deal does not move and no other question is added concurrently.
  const [deal] = await sql`
    select id from deals where id = ${String(dealId)} and partner_id = ${partnerId} for no key update`
  if (deal === undefined) return 'missing'
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count from threads where deal_id = ${String(dealId)} and partner_id = ${partnerId}`
  if (count >= threadsPerDealMax) return 'full'
  const [{ id: threadId }] = await sql<[{ id: number }]>`
    insert into threads (deal_id, partner_id, user_id, waiting_since)
    values (${String(dealId)}, ${partnerId}, ${message.userId}, case when ${message.isInstaller} then null else now() end)
    returning id`
  const messageId = await insertMessage(sql, { id: threadId, dealId, partnerId }, message)
  return messageId === null ? 'files' : { threadId, messageId }
}

/** Inserts an answer in a thread of the tenant. Returns the id of the message, or the problem. */
export async function insertAnswer(
  tx: Transaction,
  tenant: TenantScope,
  threadId: number,
  message: NewMessage,
): Promise<number | MessageProblem> {
  const sql = driverTransaction(tx)
  const [thread] = await sql<{ dealId: string; partnerId: PartnerId; isMoved: boolean }[]>`
    select deal_id as "dealId", threads.partner_id as "partnerId",
           deals.partner_id is distinct from threads.partner_id as "isMoved"
    from threads join deals on deals.id = threads.deal_id
    where threads.id = ${threadId} and ${areVisible(sql, tenant)}
    for update of threads`
  if (thread === undefined) return 'missing'
  if (thread.isMoved) return 'moved'
  const [{ count, isAsked }] = await sql<[{ count: number; isAsked: boolean }]>`
    select count(*)::int as count, not (array_agg(is_installer order by id))[1] as "isAsked"
    from messages where thread_id = ${threadId}`
  if (count >= messagesPerThreadMax) return 'full'
  await (message.isInstaller
    ? sql`
      update threads
      set waiting_since = null, resolved_at = null, answered_at = coalesce(answered_at, case when ${isAsked} then now() end)
      where id = ${threadId}`
    : sql`
      update threads
      set waiting_since = coalesce(waiting_since, now()), resolved_at = null,
          reminded_at = case when waiting_since is null then null else reminded_at end
      where id = ${threadId}`)
  const place = { id: threadId, dealId: BigInt(thread.dealId), partnerId: thread.partnerId }
  return (await insertMessage(sql, place, message)) ?? 'files'
}

/** Inserts a message with its files. Returns its id, or null if a file may not be attached to it. */
async function insertMessage(
  sql: TransactionSql,
  thread: Pick<FoundThread, 'id' | 'dealId' | 'partnerId'>,
  { userId, isInstaller, text, mentions, files, isMailed }: NewMessage,
): Promise<number | null> {
  const [{ id, author }] = await sql<[{ id: number; author: string }]>`
    insert into messages (thread_id, user_id, author_name, is_installer, text, mentions, mail_due_at)
    select ${thread.id}, id, name, ${isInstaller}, ${text}, ${mentions}::int[], case when ${isMailed} then now() end
    from users where id = ${userId}
    returning id::float8 as id, author_name as author`
  const attached = await sql`
    insert into message_files (file_id, message_id)
    select id, ${id} from ${filesOfThreads(sql)}
    where id = any(${[...files]}) and deal_id = ${String(thread.dealId)} and thread_partner_id = ${thread.partnerId}
      and not exists (select from message_files where file_id = files.id)
    returning file_id`
  if (attached.length !== new Set(files).size) return null
  await markRead(sql, { userId, threadId: thread.id, messageId: id })
  await notifyChanges(sql, { ...noChanges(), messages: new Set([thread.partnerId]) })
  await notifyPeople(sql, thread, { id, userId, author, text, mentions })
  if (isMailed)
    await sendQuestionMails(
      sql,
      [{ threadId: thread.id, partnerId: thread.partnerId }],
      new Date(Date.now() + readBeforeMailMs),
    )
  return id
}

/** Maximum length of a quoted message in a notification. */
const quoteMax = 500

async function notifyPeople(
  sql: TransactionSql,
  { id: threadId, dealId, partnerId }: Pick<FoundThread, 'id' | 'dealId' | 'partnerId'>,
  message: { id: number; userId: number; author: string; text: string; mentions: number[] },
): Promise<void> {
  const { id, userId: authorId, author, mentions } = message
  const others = await sql<{ userId: number }[]>`
    select distinct user_id as "userId" from messages where thread_id = ${threadId} and user_id is not null`
  const notified = new Set([...others.map(({ userId }) => userId), ...mentions])
  notified.delete(authorId)
  const text = cutText(message.text, quoteMax)
  await addNotifications(
    sql,
    [...notified].map((userId) => ({
      userId,
      partnerId,
      dealId,
      key: `message:${id}`,
      kind: 'messages',
      changes: { threadId, author, text, isMention: mentions.includes(userId) },
    })),
    { waitMs: readBeforeMailMs },
  )
}

const markRead = (
  sql: Database['$client'] | TransactionSql,
  { userId, threadId, messageId }: { userId: number; threadId: number; messageId: number },
) => sql`
  insert into thread_reads (user_id, thread_id, message_id) values (${userId}, ${threadId}, ${messageId})
  on conflict (user_id, thread_id)
    do update set message_id = greatest(thread_reads.message_id, excluded.message_id)`

/**
 * Records the last message of a thread that the user has read. Returns false if the thread does not exist.
 */
export async function readUpTo(
  db: Database,
  tenant: TenantScope,
  read: { userId: number; threadId: number; messageId: number },
): Promise<boolean> {
  const thread = await findThread(db, tenant, read.threadId)
  if (thread === undefined) return false
  await markRead(db.$client, read)
  return true
}

/**
 * Resolves or reopens a thread of the tenant. A reopened thread is waiting for an answer if the partner wrote
 * the last message. Returns its deal and partner, or undefined if the thread does not exist.
 */
export async function setResolved(
  tx: Transaction,
  tenant: TenantScope,
  id: number,
  isResolved: boolean,
): Promise<{ dealId: string; partnerId: PartnerId } | undefined> {
  const sql = driverTransaction(tx)
  const [thread] = await sql<{ dealId: string; partnerId: PartnerId }[]>`
    update threads
    set resolved_at = case when ${isResolved} then coalesce(resolved_at, now()) end,
        waiting_since = case when not ${isResolved} then coalesce(waiting_since, (
          select case when is_installer then null else created_at end
          from messages where thread_id = threads.id order by id desc limit 1)) end
    from deals
    where threads.id = ${id} and deals.id = threads.deal_id and ${areVisible(sql, tenant)}
    returning deal_id as "dealId", threads.partner_id as "partnerId"`
  if (thread !== undefined)
    await notifyChanges(sql, { ...noChanges(), messages: new Set([thread.partnerId]) })
  return thread
}

/**
 * Returns the median time to the first answer to the tenant's recent questions, in milliseconds, or null if
 * there are too few.
 */
export async function readUsualAnswerMs(
  { $client: sql }: Database,
  tenant: TenantScope,
): Promise<number | null> {
  const [usual] = await sql<[{ count: number; ms: number | null }]>`
    select count(*)::int as count,
           percentile_cont(0.5) within group (order by extract(epoch from answered_at - created_at) * 1000) as ms
    from threads
    where answered_at > now() - ${usualAnswerDays} * interval '1 day'
      and ${isWithin(sql, tenant)}`
  return usual.count >= usualAnswerMin ? usual.ms : null
}
