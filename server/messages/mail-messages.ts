import type { Database } from '#db/client.ts'
import { type Mail, composeMail } from '../accounts/mail.ts'
import { enqueueMail } from '../accounts/mailer.ts'
import { type MailingList, listHeadersOf, threadOf } from '../notifications/mailing-list.ts'
import { cutText } from '../values/short-text.ts'
import { dayMs, formatSpan, hourMs } from '../values/units.ts'
import {
  type LateQuestion,
  type MailedMessage,
  type MailedThread,
  sendReminders,
  takeLateQuestion,
  takeQuestionMails,
} from './mail-store.ts'
import { readReminderHours } from './question-store.ts'

interface MailDeps extends MailingList {
  db: Database
}

// Same as for other mail.
const usefulMs = 3 * dayMs

/** Mails a partner's new messages in a thread to the people responsible for the deal, one mail per person. */
export async function mailQuestions({ db, ...list }: MailDeps, threadId: number): Promise<void> {
  await db.transaction(async (tx) => {
    const thread = await takeQuestionMails(tx, threadId)
    for (const { to, messages } of thread?.mails ?? []) {
      const mail = questionMail(thread!, messages, list.publicUrl)
      const headers = headersOf(list, thread!.dealId, `message-${messages.at(-1)!.id}`, to.id)
      await enqueueMail(tx, list.encryptionKey, to.email, { ...mail, ...headers }, usefulMs)
    }
  })
}

/** Sends a job for each question that has been open for too long. */
export async function findLateQuestions(db: Database): Promise<void> {
  const hours = await readReminderHours(db)
  if (hours !== null) await sendReminders(db, hours)
}

/** Reminds the operators of an open question once. */
export async function remindOfQuestion({ db, ...list }: MailDeps, threadId: number): Promise<void> {
  const hours = await readReminderHours(db)
  if (hours === null) return
  await db.transaction(async (tx) => {
    const question = await takeLateQuestion(tx, threadId, hours)
    if (question === null) return
    const mail = reminderMail(question, formatSpan(hours * hourMs), list.publicUrl)
    for (const to of question.recipients) {
      const headers = headersOf(list, question.dealId, `reminder-${question.message.id}`, to.id)
      await enqueueMail(tx, list.encryptionKey, to.email, { ...mail, ...headers }, usefulMs)
    }
  })
}

/** Returns the headers of a mail about a deal. `name` must be the same on each attempt. */
function headersOf(list: MailingList, dealId: string, name: string, userId: number): Partial<Mail> {
  const { hostname } = new URL(list.publicUrl)
  return {
    messageId: `<${name}.user-${userId}@${hostname}>`,
    ...threadOf(list, dealId, userId),
    headers: listHeadersOf(list, userId),
  }
}

/** Maximum length of a quoted message in a mail. */
const quoteMax = 1000
const quotesMax = 10

/** Returns the URL of a thread with the answer box open. */
const urlOf = ({ dealId, threadId }: MailedThread, publicUrl: string) =>
  `${publicUrl}/deals/${dealId}?thread=${threadId}#answer`

/** Returns a mail with the texts of new messages in a thread, and a link to answer. */
function questionMail(thread: MailedThread, messages: readonly MailedMessage[], publicUrl: string): Mail {
  const { dealName, partner } = thread
  const quotes = messages
    .slice(0, quotesMax)
    .map(({ authorName, text }) => `${authorName} (${partner}) asks: ${cutText(text, quoteMax)}`)
  const count = messages.length - quotes.length
  const more = count === 0 ? [] : [`and ${count} more ${count === 1 ? 'message' : 'messages'}`]
  return composeMail({
    subject: `Question about ${dealName}`,
    intro: [...quotes, ...more].join('\n\n'),
    action: 'Answer',
    url: urlOf(thread, publicUrl),
    ended: 'Please answer in Partner Deals; replies to this e-mail are not read.',
  })
}

/** Returns a mail about a question that has been open for longer than `span`. */
function reminderMail(question: LateQuestion, span: string, publicUrl: string): Mail {
  const {
    dealName,
    partner,
    message: { authorName, text },
  } = question
  return composeMail({
    subject: `No answer for ${span}: ${dealName}`,
    intro: `${authorName} (${partner}) has waited for an answer for more than ${span}: ${cutText(text, quoteMax)}`,
    action: 'Answer',
    url: urlOf(question, publicUrl),
    ended: 'You receive this e-mail because you are an operator. Change the reminder on the Questions page.',
  })
}
