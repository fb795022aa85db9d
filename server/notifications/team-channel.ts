import { cutText } from '../values/short-text.ts'
import { retryAfterMs, minuteMs, secondMs } from '../values/units.ts'
import type { TeamService } from './wire.ts'

interface PostedDeal {
  name: string
  url: string
  lines: string[]
}

/** The updates of some deals, and the number of omitted deals. */
export interface Post {
  deals: PostedDeal[]
  more: number
  listUrl: string
}

/** Maximum number of deals per message, to stay below the limits of both services. */
export const postedDealsMax = 10
const linesMax = 4
const nameMax = 80
const lineMax = 120

/** Returns a webhook URL without its secret: `hooks.slack.com/…a1b2`. */
export function shortenUrl(url: string): string {
  const { host, pathname, search } = new URL(url)
  return `${host}/…${(pathname + search).slice(-4)}`
}

/** Returns the newest lines of a deal, shortened as required, and a line with the number of omitted ones. */
function linesOf({ lines }: PostedDeal): string[] {
  const newest = lines.slice(-linesMax).map((line) => cutText(line, lineMax))
  const count = lines.length - newest.length
  return count === 0 ? newest : [`and ${count} earlier ${count === 1 ? 'change' : 'changes'}`, ...newest]
}

const moreText = (more: number) =>
  `and ${more.toLocaleString('en-US')} more ${more === 1 ? 'deal' : 'deals'} with changes`

/** Returns the request body of a post. */
export function bodyOf(service: TeamService, post: Post): string {
  return JSON.stringify(service === 'slack' ? slackMessage(post) : teamsMessage(post))
}

/** Escapes text for Slack's mrkdwn. Only the escaped characters can start a link or a mention. */
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const slackLink = (text: string, url: string) => `<${url}|${escapeSlack(text)}>`

function slackMessage({ deals, more, listUrl }: Post) {
  const names = deals.map(({ name }) => cutText(name, nameMax)).join(', ')
  const blocks = deals.map((deal) => ({
    type: 'section',
    text: {
      type: 'mrkdwn',
      text: [
        `*${slackLink(cutText(deal.name, nameMax).replaceAll('*', ' '), deal.url)}*`,
        ...linesOf(deal).map((line) => `• ${escapeSlack(line)}`),
      ].join('\n'),
    },
  }))
  const rest = { type: 'context', elements: [{ type: 'mrkdwn', text: slackLink(moreText(more), listUrl) }] }
  return { text: escapeSlack(`Updates: ${names}`), blocks: more > 0 ? [...blocks, rest] : blocks }
}

/** Returns a message with an Adaptive Card of plain text, so that names cannot contain formatting. */
function teamsMessage({ deals, more, listUrl }: Post) {
  const plain = (text: string, style: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...style }],
  })
  const open = (url: string) => ({ type: 'Action.OpenUrl', url })
  const body = deals.map((deal) => ({
    type: 'Container',
    separator: true,
    selectAction: open(deal.url),
    items: [
      plain(cutText(deal.name, nameMax), { weight: 'Bolder', color: 'Accent' }),
      ...linesOf(deal).map((line) => ({ ...plain(line), spacing: 'Small' })),
    ],
  }))
  const rest = {
    type: 'Container',
    separator: true,
    selectAction: open(listUrl),
    items: [plain(moreText(more), { isSubtle: true })],
  }
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: more > 0 ? [...body, rest] : body,
  }
  const contentType = 'application/vnd.microsoft.card.adaptive'
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] }
}

/** The meaning of a response: posted, permanently rejected, or to be retried. */
export type Verdict = 'posted' | 'rejected' | 'failed'

/** Slack responses that mean that a channel is permanently unavailable. */
const slackRefusals =
  /^(?:action_prohibited|channel_is_archived|channel_not_found|invalid_token|no_active_hooks|no_service|no_service_id|no_team|team_disabled|token_revoked)/

/** Matches Slack's error codes, such as `invalid_payload`. */
const slackFailure = /^[a-z]+(?:_[a-z]+)+$|"ok"\s*:\s*false/

/** Texts with which Teams and Power Automate report a failure despite status 200. */
const teamsFailures = [
  'webhook message delivery failed',
  'returned http error',
  'bad payload',
  'summary or text is required',
  '"error":',
]

/**
 * Interprets a response by its status (null if there was none) and body. Both services may report failures
 * with status 200.
 */
export function verdictOf(service: TeamService, status: number | null, body: string): Verdict {
  const text = body.trim()
  // 401 means that the signature of a workflow URL has expired or was regenerated.
  const isRefused = status === 401 || status === 403 || status === 404 || status === 410
  if (isRefused || (service === 'slack' && slackRefusals.test(text))) return 'rejected'
  // HTML is a sign-in page, or the page of the channel if its link was pasted by mistake.
  if (status === null || status < 200 || status >= 300 || text.startsWith('<')) return 'failed'
  if (service === 'slack') return slackFailure.test(text) ? 'failed' : 'posted'
  const reply = text.toLowerCase().replaceAll(/\s+/g, ' ').replaceAll(' :', ':')
  if (!teamsFailures.some((failure) => reply.includes(failure))) return 'posted'
  return /HTTP error (?:401|403|404|410)/.test(text) ? 'rejected' : 'failed'
}

const firstWaitMs = 30 * secondMs
const longestWaitMs = 60 * minuteMs

/** Returns the delay after `failures` in milliseconds, at least the delay that the service requests. */
export function waitMsAfter(failures: number, retryAfter: string | null, nowMs: number): number {
  const backoffMs = Math.min(firstWaitMs * 2 ** Math.min(failures - 1, 10), longestWaitMs)
  return Math.min(Math.max(backoffMs, retryAfterMs(retryAfter, nowMs) ?? 0), longestWaitMs)
}
