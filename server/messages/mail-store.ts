import type { ISql } from 'postgres'
import { type Database, type Transaction, driverTransaction } from '#db/client.ts'
import { takesMail } from '../notifications/delivery-store.ts'
import { type StoredPlace, holderOfDeal, nameOfDeal } from './deal-holder.ts'
import { mailedOf } from './thread.ts'

/** A user who gets a mail. */
export interface MailRecipient {
  id: number
  email: string
}

/** A partner's message to be mailed to the people responsible for the deal. */
export interface MessageToMail {
  id: number
  threadId: number
  dealId: string
  dealName: string
  authorName: string
  /** The partner that asked. */
  partner: string
  text: string
  recipients: MailRecipient[]
}

/** How long mailing a message may take before another process takes it over. */
const leaseS = 120

const messagesAtOnce = 20

/** Leases messages to be mailed, oldest first. @system the worker */
export async function leaseMessages({ $client: sql }: Database): Promise<MessageToMail[]> {
  const leased = await sql<
    (Omit<MessageToMail, 'recipients' | 'dealName'> &
      StoredPlace & { authorId: number | null; mentions: number[]; partnerId: number })[]
  >`
    with leased as (
      -- Nobody can answer what the partner of a deal that has moved cannot read.
      update messages set mail_due_at = case when exists (
        select from threads join deals on deals.id = threads.deal_id and deals.partner_id = threads.partner_id
        where threads.id = messages.thread_id) then now() + ${leaseS} * interval '1 second' end
      where id in (select id from messages where mail_due_at <= now()
                   order by mail_due_at limit ${messagesAtOnce} for update skip locked)
      returning *
    )
    select leased.id::float8 as id, threads.id as "threadId", threads.deal_id::text as "dealId",
           threads.partner_id as "partnerId", partners.name as partner, leased.user_id as "authorId",
           leased.author_name as "authorName", leased.text, leased.mentions,
           deals.hold, stages.kind, deals.json
    from leased
      join threads on threads.id = leased.thread_id
      join partners on partners.id = threads.partner_id
      join deals on deals.id = threads.deal_id and deals.partner_id = threads.partner_id
      left join stages on stages.name = deals.stage
    order by leased.id`
  const mails: MessageToMail[] = []
  for (const { hold, kind, json, authorId, mentions, partnerId, ...message } of leased) {
    const { email } = holderOfDeal({ hold, kind, json })
    const people = await readPeople(sql, { ...message, authorId, mentions, partnerId, email })
    const idsOf = (is: (person: Person) => boolean) => people.filter(is).map(({ id }) => id)
    const ids = mailedOf({
      notified: idsOf(({ isNotified }) => isNotified),
      holders: idsOf(({ isHolder, isMailed }) => isHolder && isMailed),
      operators: idsOf(({ isOperator }) => isOperator),
    })
    const recipients = people.filter(({ id, isMailed }) => isMailed && ids.includes(id))
    mails.push({ ...message, dealName: nameOfDeal(message.dealId, json), recipients })
  }
  return mails
}

interface Person extends MailRecipient {
  isOperator: boolean
  isHolder: boolean
  /** Whether a notification covers it. */
  isNotified: boolean
  isMailed: boolean
}

/**
 * Returns the joined users who may see a message, without its author: the partner's users and the operators.
 */
const readPeople = (
  sql: ISql,
  message: {
    id: number
    threadId: number
    authorId: number | null
    mentions: number[]
    partnerId: number
    email: string | null
  },
) => sql<Person[]>`
  select id, email, role = 'operator' as "isOperator", coalesce(email = ${message.email}, false) as "isHolder",
         id = any(${message.mentions}::int[]) or exists (
           select from messages
           where thread_id = ${message.threadId} and messages.id < ${message.id} and user_id = users.id
         ) as "isNotified", ${takesMail(sql)} as "isMailed"
  from users left join notification_settings setting on setting.user_id = users.id
  where (partner_id = ${message.partnerId} or role = 'operator') and id is distinct from ${message.authorId}
    and (password_hash is not null or seen_at is not null)
  order by id`

/** Records that a message was mailed. @system the worker */
export async function recordMailed({ $client: sql }: Database, id: number): Promise<void> {
  await sql`update messages set mail_due_at = null where id = ${id}`
}

/** A question that has been open for too long. */
export interface LateQuestion {
  /** The open message. */
  id: number
  threadId: number
  dealId: string
  dealName: string
  partner: string
  authorName: string
  text: string
  /** The operators. */
  recipients: MailRecipient[]
}

/**
 * Returns questions that need a reminder, each once: its mail has to be stored in the transaction.
 * @system the worker
 */
export async function takeLateQuestions(tx: Transaction, hours: number): Promise<LateQuestion[]> {
  const sql = driverTransaction(tx)
  const late = await sql<(Omit<LateQuestion, 'recipients' | 'dealName'> & { json: string })[]>`
    with late as (
      update threads set reminded_at = now()
      where id in (
        select id from threads
        where waiting_since <= now() - ${hours} * interval '1 hour' and reminded_at is null
          -- Nobody can answer what the partner of a deal that has moved cannot read.
          and exists (select from deals where id = threads.deal_id and partner_id = threads.partner_id)
        order by waiting_since limit ${messagesAtOnce} for update skip locked)
      returning *
    )
    select late.id as "threadId", late.deal_id::text as "dealId", partners.name as partner, deals.json,
           asked.id::float8 as id, asked.author_name as "authorName", asked.text
    from late
      join partners on partners.id = late.partner_id
      join deals on deals.id = late.deal_id
      cross join lateral (
        select messages.id, author_name, text from messages where thread_id = late.id and not is_installer
        order by messages.id desc limit 1
      ) as asked
    order by late.waiting_since`
  if (late.length === 0) return []
  const recipients = await sql<MailRecipient[]>`
    select id, email from users left join notification_settings setting on setting.user_id = users.id
    where role = 'operator' and (password_hash is not null or seen_at is not null) and ${takesMail(sql)}
    order by id`
  return late.map(({ json, ...question }) => ({
    ...question,
    dealName: nameOfDeal(question.dealId, json),
    recipients,
  }))
}
