import type { OutgoingHttpHeader } from 'node:http'
import type { Actor } from '../access/actor.ts'
import type { CountedRequest, RateLeases } from '../access/rate-leases.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { ApiError } from '../protocol/errors.ts'
import { secondMs } from '../protocol/units.ts'

/** A limit, and what is left of it. */
interface Limit extends CountedRequest {
  limit: number
  owner: 'token' | 'partner'
}

/**
 * Counts a request of a token and its partner, and adds the `X-RateLimit-*` headers of the limit with fewer
 * requests left, names and values in turn. Returns a promise only when it has to wait.
 * @throws ApiError 429 when either limit is used up for this minute
 */
export type RateLimit = (
  actor: Pick<Actor, 'tenant'> & { tokenId: number },
  headers: OutgoingHttpHeader[],
) => Promise<void> | undefined

/**
 * How many times the limit of one token all tokens of a partner share: rotating must not multiply the rate.
 */
const partnerShare = 3

/**
 * Returns a limiter for all processes together: `perMinute` for each token and three times that for all tokens of a
 * partner; 0 means no limit.
 */
export function makeRateLimit(perMinute: number, leases: RateLeases): RateLimit {
  if (perMinute === 0) return () => undefined
  const ofPartner = perMinute * partnerShare

  const countPartner = (counted: CountedRequest, tenant: TenantScope): Limit | Promise<Limit> => {
    const token: Limit = { ...counted, limit: perMinute, owner: 'token' }
    // Requests over a token's own limit must not count against the partner's other tokens; internal tokens
    // share nothing.
    if (tenant === 0 || token.isOver) return token
    const partner = leases.count(`partner ${tenant}`, ofPartner)
    const strictest = (of: CountedRequest): Limit =>
      of.remaining < token.remaining || of.isOver ? { ...of, limit: ofPartner, owner: 'partner' } : token
    return partner instanceof Promise ? partner.then(strictest) : strictest(partner)
  }

  return ({ tokenId, tenant }, headers) => {
    const token = leases.count(`token ${tokenId}`, perMinute)
    const limit =
      token instanceof Promise ? token.then((of) => countPartner(of, tenant)) : countPartner(token, tenant)
    if (limit instanceof Promise) return limit.then((of) => tell(of, headers))
    tell(limit, headers)
    return undefined
  }
}

function tell({ limit, isOver, remaining, resetMs, owner }: Limit, headers: OutgoingHttpHeader[]): void {
  const resetS = Math.max(1, Math.ceil(resetMs / secondMs))
  headers.push('X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', remaining, 'X-RateLimit-Reset', resetS)
  if (isOver) {
    throw new ApiError('TOO_MANY_REQUESTS', `The ${owner} has used up its requests for this minute`, {
      headers: { 'Retry-After': String(resetS) },
    })
  }
}
