import type { ServerResponse } from 'node:http'
import type { Actor } from '../access/actor.ts'
import type { RateLeases } from '../access/rate-leases.ts'
import { Refusal } from '../protocol/errors.ts'
import { secondMs } from '../protocol/units.ts'

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
 * Returns a limiter for all processes together: `perMinute` for each token and three times that for all tokens of a
 * partner; 0 means no limit.
 */
export function makeRateLimit(perMinute: number, leases: RateLeases): RateLimit {
  if (perMinute === 0) return () => Promise.resolve()
  const ofPartner = perMinute * partnerShare
  return async ({ tokenId, reach }, response) => {
    const asked = leases.count(`token ${tokenId}`, perMinute)
    const token = asked instanceof Promise ? await asked : asked
    let strictest = { ...token, limit: perMinute, owner: 'token' }
    // Requests over a token's own limit must not count against the partner's other tokens; internal tokens
    // share nothing.
    if (reach !== 0 && !token.isOver) {
      const counting = leases.count(`partner ${reach}`, ofPartner)
      const partner = counting instanceof Promise ? await counting : counting
      if (partner.remaining < token.remaining || partner.isOver)
        strictest = { ...partner, limit: ofPartner, owner: 'partner' }
    }
    const { limit, isOver, remaining, resetMs, owner } = strictest
    const resetS = Math.max(1, Math.ceil(resetMs / secondMs))
    response.setHeader('X-RateLimit-Limit', limit)
    response.setHeader('X-RateLimit-Remaining', remaining)
    response.setHeader('X-RateLimit-Reset', resetS)
    if (isOver) {
      throw new Refusal('TOO_MANY_REQUESTS', `The ${owner} has used up its requests for this minute`, {
        headers: { 'Retry-After': String(resetS) },
      })
    }
  }
}
