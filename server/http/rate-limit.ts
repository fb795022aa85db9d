import type { ServerResponse } from 'node:http'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Actor } from '../access/actor.ts'
import { Refusal } from '../protocol/errors.ts'

/**
 * Counts a request of a token and its partner, and sets the `X-RateLimit-*` headers of the limit with fewer
 * requests left.
 * @throws Refusal 429 when either limit is used up for this minute
 */
export type RateLimit = (
  actor: Pick<Actor, 'reach'> & { tokenId: number },
  response: ServerResponse,
) => Promise<void>

/**
 * How many times the limit of one token all tokens of a partner share: rotating must not multiply the rate.
 */
const partnerShare = 3

/**
 * Returns a limiter for this process: `perMinute` for each token and three times that for all tokens of a
 * partner; 0 means no limit.
 */
export function makeRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return () => Promise.resolve()
  const ofToken = new RateLimiterMemory({ points: perMinute, duration: 60 })
  const ofPartner = new RateLimiterMemory({ points: perMinute * partnerShare, duration: 60 })
  return async ({ tokenId, reach }, response) => {
    const token = await consume(ofToken, tokenId)
    let strictest = { limiter: ofToken, state: token, owner: 'token' }
    // Requests over a token's own limit must not count against the partner's other tokens; internal tokens
    // share nothing.
    if (reach !== 0 && token.consumedPoints <= perMinute) {
      const partner = await consume(ofPartner, reach)
      if (partner.remainingPoints < token.remainingPoints || partner.consumedPoints > ofPartner.points)
        strictest = { limiter: ofPartner, state: partner, owner: 'partner' }
    }
    const { limiter, state, owner } = strictest
    const resetS = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
    response.setHeader('X-RateLimit-Limit', limiter.points)
    response.setHeader('X-RateLimit-Remaining', Math.max(0, state.remainingPoints))
    response.setHeader('X-RateLimit-Reset', resetS)
    if (state.consumedPoints > limiter.points) {
      throw new Refusal('TOO_MANY_REQUESTS', `The ${owner} has used up its requests for this minute`, {
        headers: { 'Retry-After': String(resetS) },
      })
    }
  }
}

/** Counts a request, even one over the limit. */
async function consume(limiter: RateLimiterMemory, key: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key)
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return refused
    throw refused
  }
}
