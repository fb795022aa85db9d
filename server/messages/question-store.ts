import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { lockOwner } from '../accounts/limit-store.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { isWithin } from '../accounts/store.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readAllStages } from '../stages/store.ts'
import { remindAfterHours, savedRepliesMax } from './policy.ts'
import {
  type Responsible,
  type StoredDeal,
  responsibleForDeal,
  nameOfDeal,
  type ThreadState,
} from './thread.ts'

/** A question as shown to operators, across all partners. */
export interface Question {
  id: number
  dealId: string
  dealName: string
  partner: { slug: string; name: string }
  isMoved: boolean
  /** The beginning of the partner's last message. */
  text: string
  authorName: string
  /** When an open question was opened, or when any other question was asked. */
  since: Date
  messageCount: number
  holder: Pick<Responsible, 'role' | 'name'>
}

const pageSize = 25

/**
 * Returns a page of the tenant's questions in a state, and the cursor of the next page or null. Open
 * questions are sorted oldest first, all others newest first.
 */
export async function readQuestions(
  db: Database,
  tenant: TenantScope,
  { state, partner, cursor }: { state: ThreadState; partner: string | null; cursor: number | null },
): Promise<{ questions: Question[]; next: number | null }> {
  const sql = db.$client
  const isOpen = state === 'open'
  const ofState = {
    open: sql`waiting_since is not null`,
    answered: sql`waiting_since is null and resolved_at is null`,
    resolved: sql`resolved_at is not null`,
  }[state]
  const behind = isOpen
    ? sql`(waiting_since, threads.id) > (select waiting_since, id from threads where id = ${cursor})`
    : sql`threads.id < ${cursor}`
  const found = await sql<
    (Omit<Question, 'since' | 'holder' | 'partner' | 'dealName'> &
      StoredDeal & { slug: string; partnerName: string; since: string })[]
  >`
    select threads.id, threads.deal_id::text as "dealId", partners.slug, partners.name as "partnerName",
           deals.partner_id is distinct from threads.partner_id as "isMoved",
           left(last.text, 600) as text, last.author_name as "authorName",
           coalesce(waiting_since, threads.created_at) as since,
           (select count(*)::int from messages where thread_id = threads.id) as "messageCount",
           deals.json, deals.given
    from threads
      join deals on deals.id = threads.deal_id
      join partners on partners.id = threads.partner_id
      cross join lateral (
        select text, author_name from messages where thread_id = threads.id
        order by is_installer, messages.id desc limit 1
      ) as last
    where ${ofState}
      and ${isWithin(sql, tenant, sql`threads.partner_id`)}
      and ${partner === null ? sql`true` : sql`partners.slug = ${partner}`}
      and ${cursor === null ? sql`true` : behind}
    order by ${isOpen ? sql`waiting_since, threads.id` : sql`threads.id desc`}
    limit ${pageSize + 1}`
  const stageOf = makeStageOf(await readAllStages(db))
  const questions = found.slice(0, pageSize).map((row) => {
    const { slug, partnerName, json, given, since, ...question } = row
    const { role, name } = responsibleForDeal({ json, given }, stageOf, Date.now())
    return {
      ...question,
      dealName: nameOfDeal(question.dealId, json),
      partner: { slug, name: partnerName },
      since: new Date(since),
      holder: { role, name },
    }
  })
  return { questions, next: found.length > pageSize ? questions.at(-1)!.id : null }
}

/** Returns the number of the tenant's unanswered questions. */
export async function countOpen({ $client: sql }: Database, tenant: TenantScope): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int as count from threads
    where waiting_since is not null and ${isWithin(sql, tenant)}`
  return count
}

/** Returns the partners that have asked questions. */
export async function readAskers(
  { $client: sql }: Database,
  tenant: TenantScope,
): Promise<{ slug: string; name: string }[]> {
  return sql<{ slug: string; name: string }[]>`
    select slug, name from partners
    where exists (select from threads where partner_id = partners.id)
      and ${isWithin(sql, tenant, sql`id`)}
    order by name`
}

export interface SavedReply {
  id: number
  title: string
  text: string
}

/** Returns the saved replies, sorted by title. @system operators */
export const readReplies = ({ $client: sql }: Database): Promise<SavedReply[]> =>
  sql<SavedReply[]>`select id, title, text from saved_replies order by title`

/**
 * Saves a reply. Creates one if the id is null. Returns null or the problem: `taken` if another reply has the
 * title, `full` if there are too many, `missing` if the reply does not exist.
 * @system operators
 */
export async function saveReply(
  tx: Transaction,
  { id, title, text }: { id: number | null; title: string; text: string },
): Promise<'saved' | 'taken' | 'full' | 'missing'> {
  const sql = driverTransaction(tx)
  await lockOwner(tx, null)
  const all = await sql<Omit<SavedReply, 'text'>[]>`select id, title from saved_replies`
  if (all.some((each) => each.title === title && each.id !== id)) return 'taken'
  if (id === null) {
    if (all.length >= savedRepliesMax) return 'full'
    await sql`insert into saved_replies (title, text) values (${title}, ${text})`
    return 'saved'
  }
  const { count } = await sql`update saved_replies set title = ${title}, text = ${text} where id = ${id}`
  return count === 0 ? 'missing' : 'saved'
}

/** Removes a saved reply. Returns its title, or undefined if the reply does not exist. @system operators */
export async function removeReply(tx: Transaction, id: number): Promise<string | undefined> {
  const [removed] = await driverTransaction(tx)<{ title: string }[]>`
    delete from saved_replies where id = ${id} returning title`
  return removed?.title
}

/**
 * Returns the number of hours after which operators are reminded of an open question, or null if never.
 * @system operators
 */
export async function readReminderHours({ $client: sql }: Database): Promise<number | null> {
  const [settings] = await sql<{ hours: number | null }[]>`
    select remind_after_hours as hours from message_settings`
  return settings === undefined ? remindAfterHours : settings.hours
}

/** Sets the number of hours after which operators are reminded, or null for never. @system operators */
export async function setReminderHours(tx: Transaction, hours: number | null): Promise<void> {
  await driverTransaction(tx)`
    insert into message_settings (remind_after_hours) values (${hours})
    on conflict (id) do update set remind_after_hours = excluded.remind_after_hours`
}
