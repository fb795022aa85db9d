import type { Database } from '#db/client.ts'
import { decryptFor } from '../../protocol/encryption.ts'
import { minuteMs, secondMs } from '../../protocol/units.ts'
import { type Zone, readTime } from '../../protocol/zone.ts'
import type { SafeFetch } from '../../webhooks/dispatcher/safe-fetch.ts'
import { type FormatDay, linesOf } from '../notification.ts'
import { collectMs } from '../when.ts'
import { type Post, bodyOf, postedDealsMax, verdictOf, waitMsAfter } from './team-channel.ts'
import { type LeasedChannel, leaseChannels, readTeamNews, recordChannel } from './team-store.ts'
import type { TeamService } from './wire.ts'

/** The dependencies of posting to channels. */
export interface PostDeps {
  db: Database
  safeFetch: Pick<SafeFetch, 'post'>
  encryptionKey: Buffer
  publicUrl: string
}

/** The owner of an encrypted URL. */
export const ownerOfChannel = (partnerId: number) => `team channel of ${partnerId}`

const leasedAtOnce = 10
const timeoutMs = 15 * secondMs
/** Longer than an attempt takes. */
const leaseMs = minuteMs
/** Polling interval of a channel without news. */
const idleMs = 5 * secondMs

/** Posts news to the due channels, in parallel, and to each at most once in ten minutes. */
export async function postDueNews(deps: PostDeps): Promise<void> {
  for (;;) {
    const leased = await leaseChannels(deps.db, leasedAtOnce, leaseMs)
    await Promise.all(leased.map((channel) => postAlone(deps, channel)))
    if (leased.length < leasedAtOnce) return
  }
}

/** Posts the news of a channel. A channel that cannot be read, such as by another key, stops no other. */
async function postAlone(deps: PostDeps, channel: LeasedChannel): Promise<void> {
  try {
    await postNews(deps, channel)
  } catch {
    const { id, lease, failures } = channel
    const waitMs = waitMsAfter(failures + 1, null)
    const problem = 'the news or the URL of the channel cannot be read'
    await recordChannel(deps.db, { id, lease, waitMs, state: 'failed', problem })
  }
}

async function postNews(deps: PostDeps, channel: LeasedChannel): Promise<void> {
  const { db, publicUrl, encryptionKey } = deps
  const { id, lease, failures, service, partnerId, zone } = channel
  const { deals, dealCount, position } = await readTeamNews(db, channel, new Date())
  if (deals.length === 0) {
    await recordChannel(db, { id, lease, waitMs: idleMs, state: 'nothing', position })
    return
  }
  const formatDay = dayFormatOf(zone)
  const post: Post = {
    deals: deals.slice(0, postedDealsMax).map((deal) => ({
      name: deal.name === '' ? `Deal ${deal.id}` : deal.name,
      url: `${publicUrl}/deals/${deal.id}`,
      lines: deal.news.flatMap((news) => linesOf(news, formatDay)),
    })),
    more: Math.max(0, dealCount - postedDealsMax),
    listUrl: `${publicUrl}/deals`,
  }
  const url = decryptFor(ownerOfChannel(partnerId), channel.encryptedUrl, encryptionKey)
  const { verdict, problem, retryAfter } = await sendPost(deps.safeFetch, service, url, post)
  if (verdict === 'posted')
    await recordChannel(db, { id, lease, waitMs: collectMs, state: 'posted', position })
  else {
    const waitMs = waitMsAfter(failures + 1, retryAfter)
    await recordChannel(db, { id, lease, waitMs, state: verdict, problem: problem! })
  }
}

/** Sends a message now. Returns whether it was posted, or the reason. */
export async function sendPost(
  safeFetch: Pick<SafeFetch, 'post'>,
  service: TeamService,
  url: string,
  post: Post,
) {
  const headers = { 'content-type': 'application/json', 'user-agent': 'Partner-Deals/1.0' }
  const answer = await safeFetch.post(url, headers, Buffer.from(bodyOf(service, post)), timeoutMs)
  const verdict =
    answer.error === null ? verdictOf(service, answer.status, answer.responseBody) : ('failed' as const)
  const said = answer.responseBody.trim().slice(0, 100)
  const problem =
    verdict === 'posted' ? null : (answer.error ?? `HTTP ${answer.status}${said === '' ? '' : `: ${said}`}`)
  return { verdict, problem, retryAfter: answer.retryAfter }
}

/** Formats days in a zone: `Nov 5, 2026`. */
function dayFormatOf(zone: Zone): FormatDay {
  return (time) => {
    const { ms, zone: readIn } = readTime(time, zone)
    return new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: readIn }).format(ms)
  }
}
