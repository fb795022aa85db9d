import { type Mail, escapeHtml } from '../accounts/mail.ts'
import { gateLabels, blockerLabels } from '../deals/labels.ts'
import { type MailingList, listHeadersOf, unsubscribeUrl } from '../notifications/mailing-list.ts'
import { type Zone, addDays, dayOf, mondayOf, utc, wallClock } from '../values/zone.ts'
import { expectedLabels, periodLabels } from './expectation.ts'
import { type WeekReport, movedLabels } from './wire.ts'

/** Hour of Monday at which digests are sent, in the reader's zone. */
const digestHour = 7

/** Last day of the week on which a digest that was not sent on Monday is still sent. */
const lastDay = 3

/**
 * Returns the Monday (such as `2026-03-02`) whose digest is due at `now` in a zone, or null if none is due.
 */
export function digestDue(now: Date, zone: Zone, sentOn: string | null): string | null {
  const today = dayOf(now, zone)
  const monday = mondayOf(today)
  const hour = Number(wallClock(now.getTime(), zone).slice(11, 13))
  const isTime = today <= addDays(monday, lastDay - 1) && (today > monday || hour >= digestHour)
  return isTime && sentOn !== monday ? monday : null
}

export interface DigestLine {
  title: string
  count: number
  isMore?: boolean
}

const lateLabels = { lateInstall: 'Install', latePermit: 'Permit' }

/** Returns the sections of the digest without zero counts. */
export function digestOf({
  moved,
  late,
  holds,
  expected,
}: WeekReport): { title: string; lines: DigestLine[] }[] {
  const isSome = ({ count }: { count: number }) => count > 0
  const sections = [
    {
      title: 'Last week',
      lines: moved.map(({ name, count, isMore }) => ({ title: movedLabels[name], count, isMore })),
    },
    { title: 'Late now', lines: late.map(({ name, count }) => ({ title: lateLabels[name], count })) },
    {
      title: 'Waiting on',
      lines: holds
        .toSorted((a, b) => b.count - a.count)
        .map(({ name, gate, count }) => ({ title: `${blockerLabels[name]} · ${gateLabels[gate]}`, count })),
    },
    {
      title: 'Expected',
      lines: expected.map(({ name, certainty, period, count }) => ({
        title:
          `${expectedLabels[name]}: ${periodLabels[period].toLowerCase()}` +
          (certainty === 'scheduled' ? ' (scheduled)' : ''),
        count,
      })),
    },
  ]
  return sections
    .map(({ title, lines }) => ({ title, lines: (lines as DigestLine[]).filter(isSome) }))
    .filter(({ lines }) => lines.length > 0)
}

/**
 * Returns whether the digest is worth sending, because a deal moved, is late or is expected. Waiting deals
 * alone do not count.
 */
export const hasNews = ({ moved, late, expected }: WeekReport) =>
  [...moved, ...late, ...expected].some(({ count }) => count > 0)

const formatDay = (day: string) =>
  new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: utc }).format(Date.parse(day))

/** Returns the digest of a week as mail. */
export function digestMail(report: WeekReport, list: MailingList, userId: number): Mail {
  const { publicUrl } = list
  const unsubscribe = unsubscribeUrl(list, userId)
  const url = `${publicUrl}/week?week=${report.week}`
  const settings = `${publicUrl}/account`
  const sections = digestOf(report)
  const countOf = ({ count, isMore = false }: DigestLine) =>
    `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`
  const text = sections.map(
    ({ title, lines }) => `${title}\n${lines.map((line) => `  ${countOf(line)}  ${line.title}`).join('\n')}`,
  )
  const cell = 'style="padding:2px 12px 2px 0;vertical-align:top'
  const html = sections.map(
    ({ title, lines }) =>
      `<h2 style="font-size:16px;margin:24px 0 4px">${title}</h2>\n<table>` +
      lines
        .map(
          (line) =>
            `<tr><td ${cell};text-align:right"><b>${countOf(line)}</b></td>` +
            `<td ${cell}">${escapeHtml(line.title)}</td></tr>`,
        )
        .join('') +
      '</table>',
  )
  return {
    subject: `Your deals: ${formatDay(report.from)} – ${formatDay(report.to)}`,
    text: [
      ...text,
      `Open the week:\n${url}`,
      `Turn off this e-mail on your account page: ${settings}\nUnsubscribe: ${unsubscribe}\n`,
    ].join('\n\n'),
    html:
      `<meta name="color-scheme" content="light dark">\n${html.join('\n')}\n` +
      `<p style="margin:24px 0"><a href="${escapeHtml(url)}">Open the week</a></p>\n` +
      `<p><a href="${escapeHtml(settings)}">Turn off this e-mail</a> · <a href="${escapeHtml(unsubscribe)}">Unsubscribe</a></p>\n`,
    headers: listHeadersOf(list, userId),
  }
}
