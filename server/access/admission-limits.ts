import { poolSize } from '#db/client.ts'
import type { AdmissionLimits } from '../admission/admission.ts'

/**
 * Limits for the requests of one process. Bursts are queued instead of rejected, because a waiting request
 * costs only a few kilobytes.
 */
export const requestLimits = {
  atOnce: 128,
  perGroup: 64,
  perMember: 24,
  // Anonymous requests are mostly CPU work, which does not get faster with more concurrency.
  anonymous: 2,
  waitingPerMember: 1000,
  waitingInAll: 4000,
} satisfies AdmissionLimits

/**
 * Limits for the database statements of requests. One connection stays free for the process itself, and one
 * for other groups.
 */
export const statementLimits = {
  atOnce: poolSize - 1,
  perGroup: poolSize - 2,
  longAtOnce: 3,
  longPerGroup: 2,
  waitingPerMember: 2000,
  waitingInAll: 20_000,
} satisfies AdmissionLimits

/** Limits for exports, whose clients may read slowly. */
export const exportShares = { inAll: 8, perGroup: 4, perMember: 1 }

/** Limits for incoming request bodies of up to a megabyte. */
export const bodyShares = { inAll: 512, perGroup: 128, perMember: 64 }

/** Limits for file downloads. */
export const downloadShares = { inAll: 512, perGroup: 256, perMember: 128 }
