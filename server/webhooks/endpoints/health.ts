import { minuteMs } from '../../values/units.ts'
import { slowedForMs } from '../policy.ts'

// An endpoint that accepts nothing for longer is failing, not slowed.
const refusingMs = 5 * minuteMs

/** The stored state that an endpoint's health derives from. */
export interface Signs {
  /** When its URL was set, or it was enabled. */
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
 * Untried: nothing was sent to it. Checked: a check passed, and no event was sent yet. Slowed: it gets fewer
 * requests because it asked for that. Off: it was disabled because it failed. Paused: its partner is suspended.
 */
export type HealthState = 'untried' | 'checked' | 'working' | 'slowed' | 'failing' | 'off' | 'paused'

/** The health of an endpoint. */
export interface Health {
  state: HealthState
  /** The time since which it has been failing, off or paused, or when it was checked; null otherwise. */
  since: Date | null
  /** The last response while it is slowed, failing or off: a status, or the reason for none. Null if unknown. */
  answer: string | null
}

/** Returns the health of a configured endpoint at `now`, from its last attempts and its last check. */
export function healthOf(signs: Signs, now: Date): Health {
  const { updatedAt, failingSince, failingAnswer, checkedAt, checkAnswer, lastSuccessAt } = signs
  const { switchedOffAt, switchedOffBecause } = signs
  if (switchedOffBecause === 'suspended') return { state: 'paused', since: switchedOffAt, answer: null }
  const answer = failingAnswer ?? checkAnswer
  if (switchedOffBecause !== null) return { state: 'off', since: switchedOffAt, answer }
  if (isSlowed(signs, now)) return { state: 'slowed', since: null, answer: String(signs.slowedStatus) }
  if (failingSince !== null) return { state: 'failing', since: failingSince, answer }
  if (checkAnswer !== null) return { state: 'failing', since: checkedAt, answer }
  // A success at a former URL does not count for this one.
  if (lastSuccessAt !== null && lastSuccessAt >= updatedAt)
    return { state: 'working', since: null, answer: null }
  return checkedAt === null
    ? { state: 'untried', since: null, answer: null }
    : { state: 'checked', since: checkedAt, answer: null }
}

/** Returns whether the endpoint was paused lately, and accepts events at times. */
function isSlowed({ pausedUntil, failingSince }: Signs, now: Date): boolean {
  return (
    pausedUntil !== null &&
    now.getTime() < pausedUntil.getTime() + slowedForMs &&
    (failingSince === null || now.getTime() < failingSince.getTime() + refusingMs)
  )
}

/** Returns the health of an endpoint without its last success, so that a working one may appear as untried. */
export const currentHealthOf = (signs: Omit<Signs, 'lastSuccessAt'>, now: Date) =>
  healthOf({ ...signs, lastSuccessAt: null }, now)

/** Returns whether an admin has to do something about it. */
export const needsRepair = ({ state }: Pick<Health, 'state'>) => state === 'failing' || state === 'off'
