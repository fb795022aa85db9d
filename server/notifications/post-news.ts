import type { Database } from '#db/client.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { decryptFor } from '../values/encryption.ts'
import { secondMs } from '../values/units.ts'
import type { Zone } from '../values/zone.ts'
import type { SafeFetch } from '../webhooks/safe-fetch.ts'
import {
  type DueChannel,
  type DueNews,
  discardUnpostable,
  findDueChannel,
  readDueNews,
  recordFailure,
  recordPost,
} from './channel-news-store.ts'
import { dayFormatOf, linesOf } from './notification.ts'
import { type Post, bodyOf, postedDealsMax, verdictOf, waitMsAfter } from './team-channel.ts'
import { collectMs } from './when.ts'
import type { TeamService } from './wire.ts'

export interface PostDeps {
  db: Database
  safeFetch: Pick<SafeFetch, 'post'>
  encryptionKey: Buffer
  publicUrl: string
}

/** Returns the owner that an encrypted URL is bound to. */
export const ownerOfChannel = (partnerId: number) => `team channel of ${partnerId}`

const timeoutMs = 15 * secondMs

/**
 * Posts the pending updates of a channel as one message. Does nothing within ten minutes of the last message,
 * because another job waits for that time to pass.
 * @throws RetryLaterError if it has to be tried again
 */
export async function postNews(deps: PostDeps, channelId: number): Promise<void> {
  const { db } = deps
  const channel = await findDueChannel(db, channelId)
  if (channel === undefined) return discardUnpostable(db, channelId)
  const news = await readDueNews(db, channel, postedDealsMax)
  if (news.ids.length === 0) return
  if (news.dealCount === 0) return recordPost(db, channel, news.ids, null)
  const { verdict, problem, retryAfter } = await attempt(deps, channel, news)
  if (verdict === 'posted') return recordPost(db, channel, news.ids, collectMs)
  const waitMs = waitMsAfter(channel.failures + 1, retryAfter, Date.now())
  const isRejected = verdict === 'rejected'
  await recordFailure(db, channel.id, { problem, waitMs, isRejected })
  if (!isRejected) throw new RetryLaterError(problem, waitMs)
}

async function attempt(deps: PostDeps, channel: DueChannel, news: DueNews): Promise<PostResult> {
  const url = urlOf(channel, deps.encryptionKey)
  return url === null
    ? { verdict: 'failed', problem: 'the URL of the channel cannot be decrypted', retryAfter: null }
    : sendPost(deps.safeFetch, channel.service, url, postOf(news, channel.zone, deps.publicUrl))
}

/** Returns the URL of a channel, or null if it was encrypted with another key. */
function urlOf({ partnerId, encryptedUrl }: DueChannel, key: Buffer): string | null {
  try {
    return decryptFor(ownerOfChannel(partnerId), encryptedUrl, key)
  } catch {
    return null
  }
}

function postOf({ deals, dealCount }: DueNews, zone: Zone, publicUrl: string): Post {
  const formatDay = dayFormatOf(zone)
  return {
    deals: deals.map(({ id, name, news }) => ({
      name: name === '' ? `Deal ${id}` : name,
      url: `${publicUrl}/deals/${id}`,
      lines: news.flatMap((item) => linesOf(item, formatDay)),
    })),
    more: dealCount - deals.length,
    listUrl: `${publicUrl}/deals`,
  }
}

type PostResult =
  | { verdict: 'posted'; problem: null; retryAfter: null }
  | { verdict: 'failed' | 'rejected'; problem: string; retryAfter: string | null }

/** Attempts to send a message. */
export async function sendPost(
  safeFetch: Pick<SafeFetch, 'post'>,
  service: TeamService,
  url: string,
  post: Post,
): Promise<PostResult> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Partner-Deals/1.0' }
  const answer = await safeFetch.post(url, headers, Buffer.from(bodyOf(service, post)), timeoutMs)
  const { error, status, responseBody, retryAfter } = answer
  const verdict = error === null ? verdictOf(service, status, responseBody) : 'failed'
  if (verdict === 'posted') return { verdict, problem: null, retryAfter: null }
  const quote = responseBody.trim().slice(0, 100)
  const problem = error ?? `HTTP ${status}${quote === '' ? '' : `: ${quote}`}`
  return { verdict, problem, retryAfter }
}
