/** The stored state that an endpoint's health derives from. */
export interface Signs {
  /** When its URL was set, or it was switched on. */
  updatedAt: Date
  failingSince: Date | null
  failingAnswer: string | null
  checkedAt: Date | null
  checkAnswer: string | null
  switchedOffAt: Date | null
  switchedOffBecause: 'gone' | 'failing' | 'suspended' | null
  lastSuccessAt: Date | null
}

/**
 * Untried: nothing was sent to it. Checked: a check passed, and no event was sent yet. Off: it was switched
 * off because it failed. Paused: its partner is suspended.
 */
export type HealthState = 'untried' | 'checked' | 'working' | 'failing' | 'off' | 'paused'

/** The health of an endpoint. */
export interface Health {
  state: HealthState
  /** Since when it fails or is off or paused, or when it was checked; null otherwise. */
  since: Date | null
  /** The last response while it fails or is off: a status, or why there was none. Null when unknown. */
  answer: string | null
}

/** Returns the health of an endpoint that is set, by its last attempts and its last check. */
export function healthOf(signs: Signs): Health {
  const { updatedAt, failingSince, failingAnswer, checkedAt, checkAnswer, lastSuccessAt } = signs
  const { switchedOffAt, switchedOffBecause } = signs
  if (switchedOffBecause === 'suspended') return { state: 'paused', since: switchedOffAt, answer: null }
  const answer = failingAnswer ?? checkAnswer
  if (switchedOffBecause !== null) return { state: 'off', since: switchedOffAt, answer }
  if (failingSince !== null) return { state: 'failing', since: failingSince, answer }
  if (checkAnswer !== null) return { state: 'failing', since: checkedAt, answer }
  // A success at a former URL says nothing of this one.
  if (lastSuccessAt !== null && lastSuccessAt >= updatedAt)
    return { state: 'working', since: null, answer: null }
  return checkedAt === null
    ? { state: 'untried', since: null, answer: null }
    : { state: 'checked', since: checkedAt, answer: null }
}

/** Returns the health of an endpoint without its last success: an active one may seem unused. */
export const currentHealthOf = (signs: Omit<Signs, 'lastSuccessAt'>) =>
  healthOf({ ...signs, lastSuccessAt: null })

/** Returns whether an admin has to do something about it. */
export const needsRepair = ({ state }: Pick<Health, 'state'>) => state === 'failing' || state === 'off'
