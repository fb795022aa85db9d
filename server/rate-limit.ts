import type { ServerResponse } from 'node:http'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Refusal } from './errors.ts'

/**
 * Counts a request of a token and notes on the answer what is left.
 * Throws a Refusal (429) when the token has used up its minute.
 */
export type RateLimit = (tokenId: number, response: ServerResponse) => Promise<void>

/** A limit of so many requests a minute and token, each process counting its own; 0 is none. */
export function makeRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return () => Promise.resolve()
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return async (tokenId, response) => {
    const state = await limiter.consume(tokenId).catch((refused: unknown) => {
      if (refused instanceof RateLimiterRes) return refused
      throw refused
    })
    const resetS = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
    response.setHeader('X-RateLimit-Limit', perMinute)
    response.setHeader('X-RateLimit-Remaining', Math.max(0, state.remainingPoints))
    response.setHeader('X-RateLimit-Reset', resetS)
    if (state.consumedPoints > perMinute) {
      throw new Refusal('TOO_MANY_REQUESTS', 'The token has used up its requests for this minute', { headers: { 'Retry-After': String(resetS) } })
    }
  }
}
