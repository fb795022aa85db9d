import { poolSize } from '#db/client.ts'
import type { AdmissionLimits } from '../protocol/admission.ts'

/**
 * How many requests a process works on at once, and how many wait. A request that waits costs some kilobytes, so a burst is
 * answered a little later rather than refused and sent again at once.
 */
export const requestLimits = {
  atOnce: 128,
  perGroup: 64,
  perMember: 24,
  // What they ask for takes mostly processor time: more of it in a turn of the event loop only delays everybody else.
  anonymous: 2,
  waitingPerMember: 1000,
  waitingInAll: 4000,
} satisfies AdmissionLimits

/**
 * How many statements of requests run at once. A connection of the pool is left to the process itself, such as for looking up
 * tokens and sessions, and one more to groups that ask for little. Long statements never take more than three.
 */
export const statementLimits = {
  atOnce: poolSize - 1,
  perGroup: poolSize - 2,
  longAtOnce: 3,
  longPerGroup: 2,
  waitingPerMember: 2000,
  waitingInAll: 20_000,
} satisfies AdmissionLimits

/** How many exports run at once. Their readers take as long as they like, and hold no connection meanwhile. */
export const exportShares = { inAll: 8, perGroup: 4, perMember: 1 }

/** How many bodies of requests arrive at once; each may be a megabyte. */
export const bodyShares = { inAll: 512, perGroup: 128, perMember: 64 }

/** How many files are passed on to readers at once. */
export const downloadShares = { inAll: 512, perGroup: 256, perMember: 128 }
