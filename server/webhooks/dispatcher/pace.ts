import { hourMs, minuteMs, secondMs } from '../../values/units.ts'
import { slowedForMs } from '../policy.ts'

/** Concurrent requests to one endpoint; more could overload a partner's system. */
export const widthMax = 16

// Enough acceptances per width that an endpoint with a fixed limit is rarely pushed past it.
const acceptedPerStep = 4

const firstPauseMinMs = 50
const firstPauseMaxMs = secondMs
const pauseMaxMs = 5 * minuteMs
const retryAfterMaxMs = hourMs

// Spreads the workers. Pauses only get longer, never shorter than `Retry-After`.
const jitter = 0.2

// A delivery that is refused more often, while others are accepted, is refused for its content.
const freeRefusalsMax = 10

/** A refused request. */
export interface Refusal {
  /** When the request began. */
  beganAt: number
  retryAfterMs: number | null
  /** How often its delivery was refused before. */
  refusals: number
}

/**
 * How fast one endpoint gets requests: additive increase, multiplicative decrease (RFC 5681, section 3.1). All
 * times are in milliseconds on one clock.
 */
export class Pace {
  #width = widthMax
  /** Acceptances since the width last changed. */
  #accepted = 0
  /** Pauses since a request that began after the last pause was accepted. */
  #pausesInRow = 0
  #pausedAt = -Infinity
  #pausedUntil = -Infinity

  /** Returns whether the endpoint refused a request lately. */
  isSlowed(now: number): boolean {
    if (now - this.#pausedUntil > slowedForMs) this.#width = widthMax
    return this.#width < widthMax
  }

  isPaused(now: number): boolean {
    return now < this.#pausedUntil
  }

  /** Returns how many requests may begin while this many are in progress. */
  places(inProgress: number, now: number): number {
    if (this.isPaused(now)) return 0
    return (this.isSlowed(now) ? this.#width : widthMax) - inProgress
  }

  /** Begins with a width of one, because another worker was refused lately. */
  startNarrow(now: number): void {
    this.#width = 1
    this.#pausedUntil = now
  }

  /** Counts an accepted request; `inProgress` includes it. */
  accept(beganAt: number, inProgress: number): void {
    if (beganAt < this.#pausedAt) return
    this.#pausesInRow = 0
    // Fewer requests than allowed do not show that the endpoint takes more.
    if (this.#width === widthMax || 2 * inProgress < this.#width) return
    if (++this.#accepted < acceptedPerStep * this.#width) return
    this.#accepted = 0
    this.#width++
  }

  /**
   * Counts a refused request and pauses. Returns the rest of the pause, and whether the refusal uses up no
   * attempt of its delivery. `throttleMs` is the operator's minimum wait after a 429; `random` is 0 to 1.
   */
  refuse(
    { beganAt, retryAfterMs, refusals }: Refusal,
    now: number,
    random: number,
    throttleMs: number = firstPauseMaxMs,
  ): { pauseMs: number; isFree: boolean } {
    const isFree = this.isSlowed(now) && (refusals < freeRefusalsMax || this.#pausesInRow > 0)
    // Responses to requests that began before the pause say nothing new.
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
