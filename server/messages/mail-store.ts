import type { ISql } from 'postgres'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { maySee, takesMail } from '../notifications/delivery-store.ts'
import { collectMs } from '../notifications/when.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readAllStages } from '../stages/store.ts'
import { type StoredDeal, responsibleForDeal, nameOfDeal, mailedOf } from './thread.ts'

interface MailRecipient {
  id: number
  email: string
}

export interface MailedThread {
  threadId: number
  dealId: string
  dealName: string
  partner: string
}

export interface MailedMessage {
  id: number
  authorName: string
  text: string
}

export interface QuestionMail {
  to: MailRecipient
  messages: [MailedMessage, ...MailedMessage[]]
}

/**
 * Sends jobs that mail the messages of threads. Each partner is a group, so that partners do not delay each
 * other.
 * @system other rooms
 */
export const sendQuestionMails = (
  sql: ISql,
  threads: readonly { threadId: number; partnerId: number }[],
  dueAt: Date,
): Promise<void> =>
  sendJobs(
    sql,
    'question-mail',
    threads.map(({ threadId, partnerId }) => ({
      data: { threadId },
      key: threadId,
      group: partnerId,
      dueAt,
    })),
  )

type MessageToMail = MailedMessage & { authorId: number | null; mentions: number[] }

/**
 * Returns the mail about new messages in a thread. Each message is returned once, so the caller must store
 * the mail in the same transaction. Returns null if there is nothing to mail, or if the last mail was sent
 * only minutes ago. In that case, sends a job for later.
 * @system the worker
 */
export async function takeQuestionMails(
  tx: Transaction,
  threadId: number,
): Promise<(MailedThread & { mails: QuestionMail[] }) | null> {
  const sql = driverTransaction(tx)
  const [thread] = await sql<
    (Omit<MailedThread, 'dealName'> & StoredDeal & { partnerId: PartnerId; isHere: boolean })[]
  >`
    select threads.id as "threadId", threads.deal_id::text as "dealId", threads.partner_id as "partnerId",
      partners.name as partner, deals.json, deals.given,
      -- The partner of a deal that has moved cannot read an answer.
      deals.partner_id is not distinct from threads.partner_id and partners.suspended_at is null as "isHere"
    from threads
      join partners on partners.id = threads.partner_id
      join deals on deals.id = threads.deal_id
    where threads.id = ${threadId}
      and coalesce(mailed_at <= now() - ${collectMs} * interval '1 millisecond', true)
    for update of threads`
  if (thread === undefined) return null
  const messages = await sql<MessageToMail[]>`
    with taken as (
      update messages set mail_due_at = null where thread_id = ${threadId} and mail_due_at is not null returning *)
    select id::float8 as id, user_id as "authorId", author_name as "authorName", text, mentions from taken order by id`
  const { json, given, isHere, partnerId, ...place } = thread
  if (!isHere || messages.length === 0) return null
  const { email } = responsibleForDeal({ json, given }, makeStageOf(await readAllStages(tx)), Date.now())
  const mails = mailsOf(messages, await readPeople(sql, { threadId, partnerId, email }))
  if (mails.length === 0) return null
  const [{ dueMs }] = await sql<[{ dueMs: number }]>`
    update threads set mailed_at = now() where id = ${threadId}
    returning ceil(extract(epoch from mailed_at + ${collectMs} * interval '1 millisecond') * 1000)::float8 as "dueMs"`
  await sendQuestionMails(sql, [{ threadId, partnerId }], new Date(dueMs))
  return { ...place, dealName: nameOfDeal(place.dealId, json), mails }
}

interface Person extends MailRecipient {
  isOperator: boolean
  isResponsible: boolean
  isMailed: boolean
  /** Ids of the user's first message in the thread and of the last one they have read, or null. */
  firstId: number | null
  readId: number | null
}

/** Returns the active users who may see a thread: the partner's users and the operators. */
const readPeople = (
  sql: ISql,
  { threadId, partnerId, email }: { threadId: number; partnerId: PartnerId; email: string | null },
) => sql<Person[]>`
  select person.id, person.email, person.role = 'operator' as "isOperator",
    coalesce(person.email = ${email}, false) as "isResponsible", ${takesMail(sql)} as "isMailed",
    (select min(id)::float8 from messages where thread_id = ${threadId} and user_id = person.id) as "firstId",
    (select message_id::float8 from thread_reads where thread_id = ${threadId} and user_id = person.id) as "readId"
  from users person left join notification_settings setting on setting.user_id = person.id
  where ${maySee(sql, sql`${partnerId}::integer`)} and (person.password_hash is not null or person.seen_at is not null)
  order by person.id`

/** Returns one mail per recipient with the unread messages for that recipient. */
function mailsOf(messages: readonly MessageToMail[], people: readonly Person[]): QuestionMail[] {
  const recipients = messages.map((message) => recipientsOf(message, people))
  return people.flatMap(({ id, email }) => {
    const [first, ...others] = messages.filter((_, at) => recipients[at]!.has(id))
    return first === undefined ? [] : [{ to: { id, email }, messages: [first, ...others] }]
  })
}

/** Returns the ids of the users who receive a message by mail. */
function recipientsOf(
  { id: messageId, authorId, mentions }: MessageToMail,
  people: readonly Person[],
): Set<number> {
  const others = people.filter(({ id }) => id !== authorId)
  const idsOf = (is: (person: Person) => boolean) => others.filter(is).map(({ id }) => id)
  const ids = mailedOf({
    // These users receive a notification instead.
    notified: idsOf(({ id, firstId }) => mentions.includes(id) || (firstId ?? Infinity) < messageId),
    responsible: idsOf(({ isResponsible, isMailed }) => isResponsible && isMailed),
    operators: idsOf(({ isOperator }) => isOperator),
  })
  return new Set(
    idsOf(({ id, isMailed, readId }) => isMailed && (readId ?? 0) < messageId && ids.includes(id)),
  )
}

// Maximum number of reminders per minute.
const remindersMax = 1000

const isLate = (sql: ISql, hours: number) => sql`
  waiting_since <= now() - ${hours} * interval '1 hour' and reminded_at is null
  -- The partner of a deal that has moved cannot read an answer.
  and exists (
    select from deals join partners on partners.id = deals.partner_id and partners.suspended_at is null
    where deals.id = threads.deal_id and deals.partner_id = threads.partner_id)`

/** Sends jobs that remind operators of questions open for this many hours. @system the worker */
export async function sendReminders({ $client: sql }: Database, hours: number): Promise<void> {
  const late = await sql<{ threadId: number; partnerId: number }[]>`
    select id as "threadId", partner_id as "partnerId" from threads where ${isLate(sql, hours)}
    order by waiting_since limit ${remindersMax}`
  await sendJobs(
    sql,
    'question-reminder',
    late.map(({ threadId, partnerId }) => ({ data: { threadId }, key: threadId, group: partnerId })),
  )
}

export interface LateQuestion extends MailedThread {
  message: MailedMessage
  recipients: MailRecipient[]
}

/**
 * Returns a question that needs a reminder. Each question is returned once, so the caller must store the mail
 * in the same transaction.
 * @system the worker
 */
export async function takeLateQuestion(
  tx: Transaction,
  threadId: number,
  hours: number,
): Promise<LateQuestion | null> {
  const sql = driverTransaction(tx)
  const [late] = await sql<(Omit<MailedThread, 'dealName'> & MailedMessage & { json: string })[]>`
    with late as (
      update threads set reminded_at = now() where id = ${threadId} and ${isLate(sql, hours)} returning *)
    select late.id as "threadId", late.deal_id::text as "dealId", partners.name as partner, deals.json,
           question.id::float8 as id, question.author_name as "authorName", question.text
    from late
      join partners on partners.id = late.partner_id
      join deals on deals.id = late.deal_id
      cross join lateral (
        select messages.id, author_name, text from messages where thread_id = late.id and not is_installer
        order by messages.id desc limit 1
      ) as question`
  if (late === undefined) return null
  const recipients = await sql<MailRecipient[]>`
    select id, email from users left join notification_settings setting on setting.user_id = users.id
    where role = 'operator' and (password_hash is not null or seen_at is not null) and ${takesMail(sql)}
    order by id`
  const { json, id, authorName, text, ...place } = late
  return {
    ...place,
    dealName: nameOfDeal(place.dealId, json),
    message: { id, authorName, text },
    recipients: [...recipients],
  }
}
