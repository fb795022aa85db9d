import type { Database } from '#db/client.ts'
import { type Mail, composeMail } from '../accounts/mail/mail.ts'
import { type Mailer, enqueueMail } from '../accounts/mail/mailer.ts'
import { type MailingList, listHeadersOf, threadOf } from '../notifications/mailing-list.ts'
import { dayMs, formatSpan, hourMs } from '../protocol/units.ts'
import {
  type LateQuestion,
  type MailRecipient,
  type MessageToMail,
  leaseMessages,
  recordMailed,
  takeLateQuestions,
} from './mail-store.ts'
import { readReminderHours } from './questions/store.ts'

/** The dependencies of mailing. */
interface MailDeps extends MailingList {
  db: Database
  mailer: Mailer | null
}

// Like other mail.
const usefulMs = 3 * dayMs

/** Mails partners' new messages to those responsible, and reminds operators of unanswered questions. */
export async function mailMessages({ db, mailer, ...list }: MailDeps): Promise<void> {
  if (mailer === null) return
  const mailTo = ({ dealId }: { dealId: string }, name: string, to: MailRecipient, mail: Mail) => ({
    ...mail,
    ...headersOf(list, dealId, name, to.id),
  })
  for (const message of await leaseMessages(db)) {
    const mail = questionMail(message, list.publicUrl)
    const name = `message-${message.id}`
    await Promise.all(message.recipients.map((to) => mailer.send(to.email, mailTo(message, name, to, mail))))
    await recordMailed(db, message.id)
  }
  const hours = await readReminderHours(db)
  if (hours === null) return
  const span = formatSpan(hours * hourMs)
  await db.transaction(async (tx) => {
    for (const question of await takeLateQuestions(tx, hours)) {
      const mail = reminderMail(question, span, list.publicUrl)
      const name = `reminder-${question.id}`
      for (const to of question.recipients)
        await enqueueMail(tx, list.encryptionKey, to.email, mailTo(question, name, to, mail), usefulMs)
    }
  })
}

/** Returns the headers of a mail about a deal: `name` is the same on each attempt. */
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

const quoteOf = (text: string) => (text.length > quoteMax ? `${text.slice(0, quoteMax)}…` : text)

/** Returns the URL of a thread, ready for an answer. */
const urlOf = ({ dealId, threadId }: { dealId: string; threadId: number }, publicUrl: string) =>
  `${publicUrl}/deals/${dealId}?thread=${threadId}#answer`

/** Returns the mail about a question: its text and a link to answer it. */
function questionMail(message: Omit<MessageToMail, 'id' | 'recipients'>, publicUrl: string): Mail {
  const { dealName, authorName, partner, text } = message
  return composeMail({
    subject: `Question about ${dealName}`,
    intro: `${authorName} (${partner}) asks: ${quoteOf(text)}`,
    action: 'Answer',
    url: urlOf(message, publicUrl),
    ended: 'Please answer in Partner Deals; replies to this e-mail are not read.',
  })
}

/** Returns the mail about a question that has been open for longer than `span`. */
function reminderMail(
  question: Omit<LateQuestion, 'id' | 'recipients'>,
  span: string,
  publicUrl: string,
): Mail {
  const { dealName, authorName, partner, text } = question
  return composeMail({
    subject: `No answer for ${span}: ${dealName}`,
    intro: `${authorName} (${partner}) has waited for an answer for more than ${span}: ${quoteOf(text)}`,
    action: 'Answer',
    url: urlOf(question, publicUrl),
    ended: 'You receive this e-mail because you are an operator. Change the reminder on the page Questions.',
  })
}
