import { minuteMs } from '../values/units.ts'
import { slowedForMs } from './policy.ts'

// An endpoint that accepts nothing for longer than this is failing, not slowed.
const refusingMs = 5 * minuteMs

/** Stored state from which an endpoint's health is derived. */
export interface Signs {
  /** Time when the URL was set or the endpoint was enabled. */
  updatedAt: Date
  failingSince: Date | null
  failingAnswer: string | null
  checkedAt: Date | null
  checkAnswer: string | null
  pausedUntil: Date | null
  slowedStatus: number | null
  switchedOffAt: Date | null
  switchedOffBecause: 'gone' | 'failing' | 'suspended' | null
  lastSuccessAt: Date | null
}

/**
 * Untried: nothing has been sent. Checked: a check passed, and no event has been sent yet. Slowed: the
 * endpoint gets fewer requests at its own request. Off: disabled because of failures. Paused: the partner is
 * suspended.
 */
export type HealthState = 'untried' | 'checked' | 'working' | 'slowed' | 'failing' | 'off' | 'paused'

export interface Health {
  state: HealthState
  /**
   * Time since which the endpoint has been failing, off, or paused, or when it was checked. Otherwise null.
   */
  since: Date | null
  /**
   * Last response of a slowed, failing, or disabled endpoint: a status, or the reason why there was no
   * response. Null if unknown.
   */
  answer: string | null
}

/** Returns the health of a configured endpoint at `now`, based on its last attempts and its last check. */
export function healthOf(signs: Signs, now: Date): Health {
  const { updatedAt, failingSince, failingAnswer, checkedAt, checkAnswer, lastSuccessAt } = signs
  const { switchedOffAt, switchedOffBecause } = signs
  if (switchedOffBecause === 'suspended') return { state: 'paused', since: switchedOffAt, answer: null }
  const answer = failingAnswer ?? checkAnswer
  if (switchedOffBecause !== null) return { state: 'off', since: switchedOffAt, answer }
  if (isSlowed(signs, now)) return { state: 'slowed', since: null, answer: String(signs.slowedStatus) }
  if (failingSince !== null) return { state: 'failing', since: failingSince, answer }
  if (checkAnswer !== null) return { state: 'failing', since: checkedAt, answer }
  // A success at a former URL does not count for the current URL.
  if (lastSuccessAt !== null && lastSuccessAt >= updatedAt)
    return { state: 'working', since: null, answer: null }
  return checkedAt === null
    ? { state: 'untried', since: null, answer: null }
    : { state: 'checked', since: checkedAt, answer: null }
}

/** Returns true if the endpoint was paused recently and still accepts some events. */
function isSlowed({ pausedUntil, failingSince }: Signs, now: Date): boolean {
  return (
    pausedUntil !== null &&
    now.getTime() < pausedUntil.getTime() + slowedForMs &&
    (failingSince === null || now.getTime() < failingSince.getTime() + refusingMs)
  )
}

/**
 * Returns the health of an endpoint without considering its last success, so a working endpoint may appear as
 * untried.
 */
export const currentHealthOf = (signs: Omit<Signs, 'lastSuccessAt'>, now: Date) =>
  healthOf({ ...signs, lastSuccessAt: null }, now)

/** Returns true if an admin needs to take action. */
export const needsRepair = ({ state }: Pick<Health, 'state'>) => state === 'failing' || state === 'off'
