import webPush from 'web-push'
import type { Database } from '#db/client.ts'
import { cutText } from '../values/short-text.ts'
import { dayMs, secondMs } from '../values/units.ts'
import type { SafeFetch } from '../webhooks/safe-fetch.ts'
import { dayFormatOf, linesOf, type ChannelSender, type Content } from './notification.ts'
import { endSubscription, findSubscription, readVapidKeys, recordPush } from './push-store.ts'

interface Deps {
  db: Database
  safeFetch: Pick<SafeFetch, 'post'>
  encryptionKey: Buffer
  publicUrl: string
}

/** Payload of a push message to the service worker (`public/sw.js`). */
interface PushMessage {
  title: string
  body: string
  url: string
  /** A message replaces an earlier one with the same tag. */
  tag: string
}

const timeoutMs = 15 * secondMs
/** Statuses of push services that mean that a subscription has ended permanently. */
const goneStatuses = new Set([401, 403, 404, 410, 413])
const lifetimeS = (3 * dayMs) / secondMs

/**
 * Creates the channel that sends push messages to browsers (RFC 8030), encrypted for each browser (RFC 8291).
 */
export function makePushChannel({ db, safeFetch, encryptionKey, publicUrl }: Deps): ChannelSender {
  // Contact URL for push services, which accept only HTTPS.
  const subject = publicUrl.startsWith('https:')
    ? publicUrl
    : `mailto:no-reply@${new URL(publicUrl).hostname}`
  return {
    async send(content) {
      const { targetId: id, user } = content
      const subscription = await findSubscription(db, user.id, id)
      if (subscription === undefined)
        return { problem: 'the browser is no longer subscribed', isPermanent: true, isRecipientGone: true }
      const { endpoint, p256dh, auth, hasNames } = subscription
      const message = JSON.stringify(pushMessage(content, hasNames))
      const request = await encrypt({ endpoint, keys: { p256dh, auth } }, message)
      if (request === null)
        return { problem: 'the keys of the browser are not valid', isPermanent: true, isRecipientGone: true }
      const answer = await safeFetch.post(endpoint, request.headers, request.body, timeoutMs)
      const { status } = answer
      if (status !== null && status >= 200 && status < 300) {
        await recordPush(db, id, null)
        return null
      }
      const problem = answer.error ?? `HTTP ${status}`
      const hasFailedForADay = await recordPush(db, id, problem)
      const isRecipientGone = hasFailedForADay || (status !== null && goneStatuses.has(status))
      if (isRecipientGone) await endSubscription(db, id)
      const isPermanent = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
      return { problem, isPermanent, isRecipientGone }
    },
  }

  async function encrypt(subscription: webPush.PushSubscription, message: string) {
    const vapidDetails = { subject, ...(await readVapidKeys(db, encryptionKey)) }
    try {
      const { headers, body } = webPush.generateRequestDetails(subscription, message, {
        vapidDetails,
        TTL: lifetimeS,
        contentEncoding: 'aes128gcm',
      })
      const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
      return { headers: Object.fromEntries(texts) as Record<string, string>, body: body as Buffer }
    } catch {
      return null
    }
  }
}

const linesMax = 4
const textMax = 120

/** Returns the text for the lock screen. Only the title may contain a homeowner's name. */
function pushMessage({ deals, user }: Content, hasNames: boolean): PushMessage {
  const nameOf = ({ id, name }: Content['deals'][number]) =>
    hasNames && name !== '' ? cutText(name, textMax) : `Deal ${id}`
  const [deal, ...others] = deals
  if (others.length > 0) {
    const count = deals.reduce((sum, { news }) => sum + news.length, 0)
    const body = deals.slice(0, linesMax).map(nameOf).join('\n')
    return { title: `${count} updates in ${deals.length} deals`, body, url: '/notifications', tag: 'deals' }
  }
  const formatDay = dayFormatOf(user.zone, { month: 'short', day: 'numeric' })
  const lines = deal.news.flatMap((news) => linesOf(news, formatDay, true))
  return {
    title: nameOf(deal),
    body: lines
      .slice(-linesMax)
      .map((line) => cutText(line, textMax))
      .join('\n'),
    url: `/deals/${deal.id}`,
    tag: `deal-${deal.id}`,
  }
}
