import type { OutgoingHttpHeaders } from 'node:http'
import type { Actor } from '../access/actor.ts'
import type { CountedRequest, RateLeases } from '../access/rate-leases.ts'
import { ApiError } from '../protocol/errors.ts'
import { secondMs } from '../protocol/units.ts'

/**
 * Counts a request of a token and its partner, and sets the `X-RateLimit-*` headers of the limit with fewer
 * requests left.
 * @throws ApiError 429 when either limit is used up for this minute
 */
export type RateLimit = (
  actor: Pick<Actor, 'tenant'> & { tokenId: number },
  headers: OutgoingHttpHeaders,
) => Promise<void>

/** A limit, and what is left of it. */
interface Limit extends CountedRequest {
  limit: number
  owner: 'token' | 'partner'
}

/**
 * How many times the limit of one token all tokens of a partner share: rotating must not multiply the rate.
 */
const partnerShare = 3

/**
 * Returns a limiter for all processes together: `perMinute` for each token and three times that for all tokens of a
 * partner; 0 means no limit.
 */
export function makeRateLimit(perMinute: number, leases: RateLeases): RateLimit {
  if (perMinute === 0) return async () => {}
  const perMinuteOfPartner = perMinute * partnerShare

  async function count({ tokenId, tenant }: Parameters<RateLimit>[0]): Promise<Limit> {
    const token = await leases.count(`token ${tokenId}`, perMinute)
    const ofToken: Limit = { ...token, limit: perMinute, owner: 'token' }
    // Requests over a token's own limit must not count against the partner's other tokens; internal tokens
    // share nothing.
    if (tenant === 0 || token.isOver) return ofToken
    const partner = await leases.count(`partner ${tenant}`, perMinuteOfPartner)
    return partner.remaining < token.remaining || partner.isOver
      ? { ...partner, limit: perMinuteOfPartner, owner: 'partner' }
      : ofToken
  }

  return async (actor, headers) => {
    const { limit, isOver, remaining, resetMs, owner } = await count(actor)
    const resetS = Math.max(1, Math.ceil(resetMs / secondMs))
    headers['X-RateLimit-Limit'] = limit
    headers['X-RateLimit-Remaining'] = remaining
    headers['X-RateLimit-Reset'] = resetS
    if (isOver) {
      throw new ApiError('TOO_MANY_REQUESTS', `The ${owner} has used up its requests for this minute`, {
        headers: { 'Retry-After': String(resetS) },
      })
    }
  }
}
