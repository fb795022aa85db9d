import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import type { Caller } from '../../admission/admission.ts'
import { oneInProcess } from '../../admission/one-in-process.ts'
import { Slots, currentWork } from '../../admission/slots.ts'
import { ApiError } from '../../errors.ts'

// Argon2id, the library's default, with the parameters of the OWASP Password Storage Cheat Sheet.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// The hash of an unknown password, with the same cost.
const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$fxemFMX34oduM2Oh9V4hDw$NxhcgBJF87WQVree6kI0v1/XdGXxyfRAWvjijNcUCBA'

// Shared with files, compression and DNS.
const libuvThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4

/** Concurrent password hashes: half of the processors, and at most half of libuv's threads. */
export const hashingMax = Math.max(1, Math.min(availableParallelism(), libuvThreads) >> 1)

/** Maximum waiting calls per caller; they take about a second on two processors. */
export const waitingMax = 40
const waitingInAll = 10 * waitingMax
const waitMaxMs = 5000

/** Returns the error for too many concurrent password checks. */
export const busy = () =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'Too many people are signing in right now. Try again in a few seconds.',
    { headers: { 'Retry-After': '5' } },
  )

const hashing = oneInProcess(
  'hashing',
  () => new Slots({ atOnce: hashingMax, waitingPerMember: waitingMax, waitingInAll }),
)

/** A command, which hashes one password. */
const noCaller: Caller = { kind: 'staff', group: 'command', member: 'command' }

/** Hashes in a slot of the caller, unless its client leaves first. */
function inSlot<T>(hashOnce: () => Promise<T>): Promise<T> {
  const request = currentWork()
  const signal = request?.abandoned
  if (signal?.aborted === true) return Promise.reject(busy())
  return hashing.run(request?.caller ?? noCaller, hashOnce, { refusal: busy, waitMaxMs, signal })
}

/** Returns a password in one spelling: some keyboards send a letter and its accent separately (NIST SP 800-63B). */
const spelled = (password: string) => password.slice(0, typedMax).normalize('NFKC')

/** Longer than any accepted password, so truncation never makes a wrong password right. */
const typedMax = 1000

/**
 * Returns the hash of a password in PHC string format.
 * @throws ApiError 503 if too many passwords are being hashed
 */
export function hashPassword(password: string): Promise<string> {
  return inSlot(() => hash(spelled(password), cost))
}

/**
 * Returns whether the password matches; without a hash returns false after the same time.
 * @throws ApiError 503 if too many passwords are being hashed
 */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const known = passwordHash ?? nobody
  const matches = await inSlot(() => verify(known, spelled(password)))
  // Earlier versions hashed what was typed.
  const isEarlier =
    !matches && spelled(password) !== password && (await inSlot(() => verify(known, password)))
  return passwordHash !== undefined && (matches || isEarlier)
}
