import { poolSize } from '#db/client.ts'
import type { AdmissionLimits } from '../admission/admission.ts'

/**
 * Concurrent and waiting requests per process. A waiting request costs a few kilobytes, so bursts are queued
 * rather than rejected and retried.
 */
export const requestLimits = {
  atOnce: 128,
  perGroup: 64,
  perMember: 24,
  // Mostly CPU work: more concurrency only delays others.
  anonymous: 2,
  waitingPerMember: 1000,
  waitingInAll: 4000,
} satisfies AdmissionLimits

/**
 * Concurrent statements of requests. One pool connection is reserved for the process, such as for token
 * lookups, and one for light callers. Long statements take at most three.
 */
export const statementLimits = {
  atOnce: poolSize - 1,
  perGroup: poolSize - 2,
  longAtOnce: 3,
  longPerGroup: 2,
  waitingPerMember: 2000,
  waitingInAll: 20_000,
} satisfies AdmissionLimits

/** Concurrent exports. Readers may be slow; exports hold no connection while they wait. */
export const exportShares = { inAll: 8, perGroup: 4, perMember: 1 }

/** Concurrent request bodies; each may be a megabyte. */
export const bodyShares = { inAll: 512, perGroup: 128, perMember: 64 }

/** Concurrent file downloads. */
export const downloadShares = { inAll: 512, perGroup: 256, perMember: 128 }
