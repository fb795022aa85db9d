import { type Transaction, driverTransaction } from '#db/client.ts'
import type { PartnerId } from '../accounts/partner.ts'

interface DemoQuestion {
  askedHoursAgo: number
  text: string
  /** Time until the installer's answer, or null for an open question. */
  answeredAfterHours: number | null
  answer?: string
  isResolved?: true
}

const questions: DemoQuestion[] = [
  {
    askedHoursAgo: 3,
    text: 'The homeowner asks whether the crew needs the driveway free. Do you know yet when they come?',
    answeredAfterHours: null,
  },
  {
    askedHoursAgo: 29,
    text: 'Which form does the HOA need from us? They sent https://hoa.example/solar/forms and nothing else.',
    answeredAfterHours: null,
  },
  {
    askedHoursAgo: 21,
    text: 'Can we still add a second battery before the install, or does that need a new permit?',
    answeredAfterHours: 3.5,
    answer:
      'It needs a revised plan set and a permit revision, about two weeks. Send us the signed change order and we start today.',
  },
  {
    askedHoursAgo: 76,
    text: 'The utility bill was in the name of the former owner. Do you need a new one?',
    answeredAfterHours: 1.5,
    answer: 'Yes, please attach one of the last two months here.',
  },
  {
    askedHoursAgo: 170,
    text: 'Was the inspection rescheduled? The homeowner heard nothing after the storm.',
    answeredAfterHours: 4.5,
    answer: 'The city moved it to Thursday, 8 to 12. We called the homeowner just now.',
    isResolved: true,
  },
  {
    askedHoursAgo: 320,
    text: 'Please check the module count: the agreement says 22, the plan set 21.',
    answeredAfterHours: 6,
    answer: 'Thank you. A vent took one place; the change order for 21 is in the files.',
    isResolved: true,
  },
  {
    askedHoursAgo: 510,
    text: 'Who calls the homeowner about the site survey, you or we?',
    answeredAfterHours: 2,
    answer: 'We do, within two days after the agreement is signed.',
    isResolved: true,
  },
]

const replies = [
  ['Permit times', 'The city usually takes two to three weeks. We write here as soon as we have the permit.'],
  ['Utility bill', 'Please attach a utility bill of the last two months here, all pages.'],
] as const

/**
 * Inserts demo questions about a partner's most recently changed deals, and saved replies. The users with
 * these e-mail addresses must exist.
 */
export async function insertDemoQuestions(
  tx: Transaction,
  partnerId: PartnerId,
  { member, operator }: { member: string; operator: string },
): Promise<void> {
  const sql = driverTransaction(tx)
  const deals = await sql<{ id: string }[]>`
    select id from deals where partner_id = ${partnerId} order by last_modified desc limit ${questions.length}`
  const userOf = (email: string) =>
    sql<{ id: number; name: string }[]>`select id, name from users where email = ${email}`
  const [[asker], [answerer]] = await Promise.all([userOf(member), userOf(operator)])
  const ago = (hours: number) => sql`now() - ${hours} * interval '1 hour'`
  for (const [index, { id: dealId }] of deals.entries()) {
    const { askedHoursAgo, text, answeredAfterHours, answer, isResolved } = questions[index]!
    const answeredAt = answeredAfterHours === null ? sql`null` : ago(askedHoursAgo - answeredAfterHours)
    const [thread] = await sql<[{ id: number }]>`
      insert into threads (deal_id, partner_id, user_id, created_at, waiting_since, answered_at, resolved_at)
      values (${dealId}, ${partnerId}, ${asker!.id}, ${ago(askedHoursAgo)},
              ${answeredAfterHours === null ? ago(askedHoursAgo) : sql`null`}, ${answeredAt},
              ${isResolved ? ago(askedHoursAgo - answeredAfterHours! - 1) : sql`null`})
      returning id`
    await sql`
      insert into messages (thread_id, user_id, author_name, is_installer, text, created_at)
      values (${thread.id}, ${asker!.id}, ${asker!.name}, false, ${text}, ${ago(askedHoursAgo)})`
    if (answer !== undefined)
      await sql`
        insert into messages (thread_id, user_id, author_name, is_installer, text, created_at)
        values (${thread.id}, ${answerer!.id}, ${answerer!.name}, true, ${answer}, ${answeredAt})`
  }
  for (const [title, text] of replies)
    await sql`insert into saved_replies (title, text) values (${title}, ${text}) on conflict do nothing`
}
