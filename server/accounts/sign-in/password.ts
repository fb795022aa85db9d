import { AsyncLocalStorage } from 'node:async_hooks'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { type Turns, makeTurns, takeTurn } from './turns.ts'

// Argon2id, the library's default, with the parameters of the OWASP Password Storage Cheat Sheet.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Of a password that nobody knows, made with the same cost.
const nobody =
  '$argon2id$v=19$m=19456,t=2,p=1$fxemFMX34oduM2Oh9V4hDw$NxhcgBJF87WQVree6kI0v1/XdGXxyfRAWvjijNcUCBA'

// Files, compression and DNS share them.
const libuvThreads = Number(process.env.UV_THREADPOOL_SIZE) || 4

/** How many passwords are hashed at once: they take half of the processors, and half of libuv's threads at most. */
export const hashingMax = Math.max(1, Math.min(availableParallelism(), libuvThreads) >> 1)

/** How many wait for that, and for how long: together they take about a second on two processors. */
export const waitingMax = 40
const waitMaxMs = 5000

// Kept where both instances of this module find it: that of the process, and that in the bundle of the pages.
const holder = globalThis as {
  partnerDealsHashing?: Turns
  partnerDealsLeaving?: AsyncLocalStorage<AbortSignal>
}
const hashing = (holder.partnerDealsHashing ??= makeTurns({ atOnce: hashingMax, waitingMax, waitMaxMs }))
const leaving = (holder.partnerDealsLeaving ??= new AsyncLocalStorage<AbortSignal>())

/** Does work that hashes no password any more for a client that has left. */
export const untilClientLeaves = <T>(left: AbortSignal, work: () => Promise<T>) => leaving.run(left, work)

/**
 * Returns the hash of a password as it is kept, in PHC string format.
 * @throws Refusal 503 when too many passwords are being hashed
 */
export function hashPassword(password: string): Promise<string> {
  return takeTurn(hashing, () => hash(password, cost), leaving.getStore())
}

/**
 * Returns whether this is the password; without a hash to compare with, no after the same time.
 * @throws Refusal 503 when too many passwords are being hashed
 */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const matches = await takeTurn(hashing, () => verify(passwordHash ?? nobody, password), leaving.getStore())
  return passwordHash !== undefined && matches
}
