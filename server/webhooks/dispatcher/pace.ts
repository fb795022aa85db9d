import { hourMs, minuteMs, secondMs } from '../../values/units.ts'
import { slowedForMs } from '../policy.ts'

/** Maximum number of concurrent requests to one endpoint. More could overload a partner's system. */
export const widthMax = 16

// Number of accepted requests, per unit of width, before the width increases. High enough that an endpoint
// with a fixed limit is rarely pushed past it.
const acceptedPerStep = 4

const firstPauseMinMs = 50
const firstPauseMaxMs = secondMs
const pauseMaxMs = 5 * minuteMs
const retryAfterMaxMs = hourMs

// Spreads out the workers' retries. Jitter only lengthens pauses, so no pause is shorter than `Retry-After`.
const jitter = 0.2

// A delivery that is rejected more often than this, while others are accepted, is being rejected because of
// its content.
const freeRefusalsMax = 10

export interface Refusal {
  beganAt: number
  retryAfterMs: number | null
  /** Number of earlier rejections of the delivery. */
  refusals: number
}

/**
 * Controls how fast requests are sent to one endpoint: additive increase, multiplicative decrease (RFC 5681,
 * section 3.1). All times are in milliseconds on the same clock.
 */
export class Pace {
  #width = widthMax
  /** Number of accepted requests since the width last changed. */
  #accepted = 0
  /** Number of consecutive pauses without an accepted request in between. */
  #pausesInRow = 0
  #pausedAt = -Infinity
  #pausedUntil = -Infinity

  /** Returns true if the endpoint recently rejected a request. */
  isSlowed(now: number): boolean {
    if (now - this.#pausedUntil > slowedForMs) this.#width = widthMax
    return this.#width < widthMax
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  /** Returns how many more requests may begin, given the number in progress. */
  places(inProgress: number, now: number): number {
    if (this.isPaused(now)) return 0
    return (this.isSlowed(now) ? this.#width : widthMax) - inProgress
  }

  /** Starts with a width of one, because the endpoint recently rejected another worker's requests. */
  startNarrow(now: number): void {
    this.#width = 1
    this.#pausedUntil = now
  }

  /** Counts an accepted request. `inProgress` includes this request. */
  accept(beganAt: number, inProgress: number): void {
    if (beganAt < this.#pausedAt) return
    this.#pausesInRow = 0
    // When few requests are in progress, their success does not show that the endpoint accepts more.
    if (this.#width === widthMax || 2 * inProgress < this.#width) return
    if (++this.#accepted < acceptedPerStep * this.#width) return
    this.#accepted = 0
    this.#width++
  }

  /**
   * Counts a rejected request and pauses. Returns the rest of the pause, and whether the rejection does not
   * use up an attempt of the delivery. `throttleMs` is the operator's minimum delay after a 429. `random` is
   * 0 to 1.
   */
  refuse(
    { beganAt, retryAfterMs, refusals }: Refusal,
    now: number,
    random: number,
    throttleMs: number = firstPauseMaxMs,
  ): { pauseMs: number; isFree: boolean } {
    const isFree = this.isSlowed(now) && (refusals < freeRefusalsMax || this.#pausesInRow > 0)
    // Responses to requests that began before the pause provide no new information.
    if (beganAt >= this.#pausedAt) this.#slowDown(now)
    const firstMs = Math.min(Math.max(throttleMs, firstPauseMinMs), firstPauseMaxMs)
    const grownMs = firstMs * 2 ** (this.#pausesInRow - 1)
    const least = this.#pausesInRow > 1 || retryAfterMs === null ? Math.min(grownMs, pauseMaxMs) : 0
    const pauseMs = Math.max(least, Math.min(retryAfterMs ?? 0, retryAfterMaxMs)) * (1 + jitter * random)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs)
    return { pauseMs: Math.ceil(this.#pausedUntil - now), isFree }
  }

  #slowDown(now: number): void {
    this.#pausedAt = now
    this.#pausesInRow++
    this.#accepted = 0
    this.#width = this.#pausesInRow > 1 ? 1 : Math.max(1, Math.floor(this.#width / 2))
  }
}
