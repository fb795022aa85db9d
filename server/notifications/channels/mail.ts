import { type Mail, escapeHtml } from '../../accounts/mail/mail.ts'
import type { SendNow } from '../../accounts/mail/mailer.ts'
import { type Zone, readTime } from '../../protocol/zone.ts'
import { type MailingList, listHeadersOf, threadOf, unsubscribeUrl } from '../mailing-list.ts'
import { type FormatDay, linesOf, threadQueryOf } from '../notification.ts'
import type { ChannelSender, Content, DealNews } from './channel.ts'

interface Deps extends MailingList {
  sendNow: SendNow
}

/** Returns the channel that sends mail. */
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

/** Returns the mail with the news of one or several deals. */
function notificationMail({ id, user, deals }: Content, list: MailingList): Mail {
  const { publicUrl } = list
  const formatDay = dayFormatOf(user.zone)
  const parts = deals.map((deal) => ({
    title: nameOf(deal),
    url: urlOf(deal, publicUrl),
    lines: deal.news.flatMap((news) => linesOf(news, formatDay)),
  }))
  const unsubscribe = unsubscribeUrl(list, user.id)
  const settings = `${publicUrl}/account#notifications`
  const { hostname } = new URL(publicUrl)
  const [deal, ...others] = deals
  return {
    subject: subjectOf(deals, formatDay).replaceAll(/\p{Cc}+/gu, ' '),
    text: [
      ...parts.map(
        ({ title, url, lines }) => `${title}\n${lines.map((line) => `- ${line}`).join('\n')}\n${url}`,
      ),
      `Notification settings: ${settings}\nUnsubscribe: ${unsubscribe}\n`,
    ].join('\n\n'),
    html: pageOf(
      parts.map(
        ({ title, url, lines }) =>
          `<h2 style="margin:24px 0 4px;font-size:16px;line-height:24px"><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></h2>\n` +
          `<ul style="margin:0;padding:0 0 0 20px">${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
      ),
      `<a href="${escapeHtml(settings)}">Notification settings</a> · <a href="${escapeHtml(unsubscribe)}">Unsubscribe</a>`,
    ),
    messageId: `<notification-${id}@${hostname}>`,
    ...(others.length === 0 && threadOf(list, deal.id, user.id)),
    headers: listHeadersOf(list, user.id),
  }
}

/** Without its own colors, so that it follows the client's theme. */
const pageOf = (parts: string[], footer: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></head>
<body style="margin:0;padding:8px 16px 24px;font:15px/22px system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px">
${parts.join('\n')}
<p style="margin:32px 0 0;font-size:13px;line-height:20px">${footer}</p>
</div></body></html>
`

const nameOf = ({ id, name }: Pick<DealNews, 'id' | 'name'>) => (name === '' ? `Deal ${id}` : name)

/** Returns the page of a deal, or of its thread for an answer. */
function urlOf({ id, news }: DealNews, publicUrl: string): string {
  return `${publicUrl}/deals/${id}${news.map(threadQueryOf).findLast((query) => query !== '') ?? ''}`
}

const subjectMax = 150

function subjectOf(deals: Content['deals'], formatDay: FormatDay): string {
  const [deal, ...others] = deals
  const all = deals.flatMap(({ news }) => news.flatMap((each) => linesOf(each, formatDay)))
  if (others.length > 0) return `${all.length} updates in ${deals.length} deals`
  const [line, ...more] = all as [string]
  // A word at the start of a sentence that is not an abbreviation or a name.
  const isWord = deal.news[0]!.kind !== 'messages' && /^[A-Z][a-z]/.test(line)
  const phrase = isWord ? line[0]!.toLowerCase() + line.slice(1) : line
  const rest = more.length === 0 ? '' : `, and ${more.length} more`
  const subject = `${nameOf(deal)}: ${phrase}`
  return (subject.length > subjectMax ? `${subject.slice(0, subjectMax)}…` : subject) + rest
}

/** Formats days in a zone: `Nov 5, 2026`. */
function dayFormatOf(zone: Zone): FormatDay {
  return (time) => {
    const { ms, zone: readIn } = readTime(time, zone)
    return new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: readIn }).format(ms)
  }
}
