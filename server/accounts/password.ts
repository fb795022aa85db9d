import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import type { Caller } from '../admission/admission.ts'
import { oneInProcess, Slots, currentWork } from '../admission/slots.ts'
import { ApiError } from '../errors.ts'

// Argon2id, which is the library's default, with parameters from the OWASP Password Storage Cheat Sheet.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// The hash of a random password, verified for unknown users so that this takes the same time.
const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$fxemFMX34oduM2Oh9V4hDw$NxhcgBJF87WQVree6kI0v1/XdGXxyfRAWvjijNcUCBA'

// File access, compression and DNS lookups also use libuv's threads.
const libuvThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4

/** Maximum number of concurrent hashes: half of the processors, and at most half of libuv's threads. */
export const hashingMax = Math.max(1, Math.min(availableParallelism(), libuvThreads) >> 1)

/** Maximum number of waiting calls per caller, which take about a second on two processors. */
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

/** The caller for command-line use, where each command hashes a single password. */
const noCaller: Caller = { kind: 'staff', group: 'command', member: 'command' }

/** Hashes in a slot of the caller. Does not hash if the client disconnects before the slot is free. */
function inSlot<T>(hashOnce: () => Promise<T>): Promise<T> {
  const request = currentWork()
  const signal = request?.abandoned
  if (signal?.aborted === true) return Promise.reject(busy())
  return hashing.run(request?.caller ?? noCaller, hashOnce, { refusal: busy, waitMaxMs, signal })
}

/**
 * Normalizes a password, because some keyboards send a letter and its accent as separate characters (NIST SP
 * 800-63B).
 */
const spelled = (password: string) => password.slice(0, typedMax).normalize('NFKC')

/** Longer than any accepted password, so that truncation cannot make a wrong password match. */
const typedMax = 1000

/**
 * Returns the hash of a password in PHC string format.
 * @throws ApiError 503 if too many passwords are being hashed
 */
export function hashPassword(password: string): Promise<string> {
  return inSlot(() => hash(spelled(password), cost))
}

/**
 * Returns true if the password matches. If there is no hash, returns false after the same time.
 * @throws ApiError 503 if too many passwords are being hashed
 */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const known = passwordHash ?? nobody
  const matches = await inSlot(() => verify(known, spelled(password)))
  // Earlier versions did not normalize passwords before hashing.
  const isEarlier =
    !matches && spelled(password) !== password && (await inSlot(() => verify(known, password)))
  return passwordHash !== undefined && (matches || isEarlier)
}
