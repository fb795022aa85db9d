import { type Mail, escapeHtml } from '../accounts/mail.ts'
import type { SendNow } from '../accounts/mailer.ts'
import { cutText } from '../values/short-text.ts'
import { type MailingList, listHeadersOf, threadOf, unsubscribeUrl } from './mailing-list.ts'
import {
  type News,
  dayFormatOf,
  linesOf,
  threadQueryOf,
  type ChannelSender,
  type Content,
  type DealNews,
} from './notification.ts'

interface Deps extends MailingList {
  sendNow: SendNow
}

/** Creates the channel that sends mail. */
export function makeMailChannel({ sendNow, ...list }: Deps): ChannelSender {
  return {
    async send(content) {
      const failure = await sendNow(content.user.email, notificationMail(content, list))
      if (failure === null) return null
      const { problem, isPermanent, isRecipientRejected } = failure
      return { problem, isPermanent, isRecipientGone: isRecipientRejected }
    },
  }
}

function notificationMail({ id, user, deals }: Content, list: MailingList): Mail {
  const { publicUrl } = list
  const formatDay = dayFormatOf(user.zone)
  const read: ReadLines = (news) => linesOf(news, formatDay)
  const { parts, more } = partsWithin(deals, read, publicUrl)
  const unsubscribe = unsubscribeUrl(list, user.id)
  const settings = `${publicUrl}/account#notifications`
  const { hostname } = new URL(publicUrl)
  const [deal, ...others] = deals
  return {
    subject: subjectOf(deals, read).replaceAll(/\p{Cc}+/gu, ' '),
    text: [
      `Unsubscribe: ${unsubscribe}\nNotification settings: ${settings}`,
      ...parts.map(textOf),
      ...(more === null ? [] : [`${more.text}\n${more.url}`]),
      '',
    ].join('\n\n'),
    html: pageOf(
      [
        ...parts.map(htmlOf),
        ...(more === null
          ? []
          : [
              `<p style="margin:24px 0 0"><a href="${escapeHtml(more.url)}">${escapeHtml(more.text)}</a></p>`,
            ]),
      ],
      `<a href="${escapeHtml(unsubscribe)}">Unsubscribe</a> · <a href="${escapeHtml(settings)}">Notification settings</a>`,
    ),
    messageId: `<notification-${id}@${hostname}>`,
    ...(others.length === 0 && threadOf(list, deal.id, user.id)),
    headers: listHeadersOf(list, user.id),
  }
}

interface MailPart {
  title: string
  url: string
  lines: string[]
}

const textOf = ({ title, url, lines }: MailPart) =>
  `${title}\n${lines.map((line) => `- ${line}`).join('\n')}\n${url}`

const htmlOf = ({ title, url, lines }: MailPart) =>
  `<h2 style="margin:24px 0 4px;font-size:16px;line-height:24px"><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></h2>\n` +
  `<ul style="margin:0;padding:0 0 0 20px">${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`

// Maximum size of a mail, because mail clients clip longer ones.
const mailMaxBytes = 90_000
/** Size of the headers and the page around the deals. */
const frameBytes = 6000
const linesMax = 20
/** Maximum number of characters in a line. A line of this length fits into a mail in any script. */
const lineMax = 4000
const titleMax = 200

/** Returns the size of text in a mail, in which each byte beyond ASCII takes three characters. */
const encodedBytes = (text: string) =>
  Math.ceil(1.05 * [...Buffer.from(text)].reduce((sum, byte) => sum + (byte > 126 || byte === 61 ? 3 : 1), 0))

type ReadLines = (news: News) => string[]

/** Returns the deals that fit in a mail, and a link to the remaining ones. */
function partsWithin(deals: Content['deals'], read: ReadLines, publicUrl: string) {
  const parts: MailPart[] = []
  let left = mailMaxBytes - frameBytes
  for (const deal of deals) {
    const part = partWithin(left, deal, read, publicUrl)
    left -= sizeOf(part)
    if (left < 0) break
    parts.push(part)
  }
  const count = deals.length - parts.length
  const text = `and ${count.toLocaleString('en-US')} more`
  return { parts, more: count === 0 ? null : { text, url: `${publicUrl}/notifications` } }
}

const sizeOf = (part: MailPart) => encodedBytes(textOf(part)) + encodedBytes(htmlOf(part))

/** Returns the newest updates of a deal that fit, at least one. */
function partWithin(maxBytes: number, deal: DealNews, read: ReadLines, publicUrl: string): MailPart {
  const all = deal.news.flatMap(read).map((line) => cutText(line, lineMax))
  const part: MailPart = { title: cutText(nameOf(deal), titleMax), url: urlOf(deal, publicUrl), lines: [] }
  for (const line of all.slice(-linesMax).toReversed()) {
    const longer = { ...part, lines: [line, ...part.lines] }
    if (part.lines.length > 0 && sizeOf(longer) > maxBytes) break
    part.lines = longer.lines
  }
  const hidden = all.length - part.lines.length
  return hidden === 0 ? part : { ...part, lines: [`and ${hidden} earlier changes`, ...part.lines] }
}

/**
 * Sets no colors, to follow the theme of the mail client. Links come first, so that they are never clipped.
 */
const pageOf = (parts: string[], links: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></head>
<body style="margin:0;padding:8px 16px 24px;font:15px/22px system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px">
<p style="margin:0;font-size:13px;line-height:20px">${links}</p>
${parts.join('\n')}
</div></body></html>
`

const nameOf = ({ id, name }: Pick<DealNews, 'id' | 'name'>) => (name === '' ? `Deal ${id}` : name)

/** Returns the URL of a deal, or of its thread if the update is an answer. */
function urlOf({ id, news }: DealNews, publicUrl: string): string {
  return `${publicUrl}/deals/${id}${news.map(threadQueryOf).findLast((query) => query !== '') ?? ''}`
}

const subjectMax = 150

function subjectOf(deals: Content['deals'], read: ReadLines): string {
  const [deal, ...others] = deals
  const all = deals.flatMap(({ news }) => news.flatMap(read))
  if (others.length > 0) return `${all.length} updates in ${deals.length} deals`
  const [line, ...more] = all as [string]
  // Lowercases the first letter of a word, but not of an abbreviation or a name.
  const isWord = deal.news[0]!.kind !== 'messages' && /^[A-Z][a-z]/.test(line)
  const phrase = isWord ? line[0]!.toLowerCase() + line.slice(1) : line
  const rest = more.length === 0 ? '' : `, and ${more.length} more`
  const subject = `${nameOf(deal)}: ${phrase}`
  return cutText(subject, subjectMax) + rest
}
