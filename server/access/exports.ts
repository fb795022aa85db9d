import { ApiError } from '../protocol/errors.ts'
import type { Shares } from '../protocol/shares.ts'
import { asLongWork } from '../protocol/slots.ts'
import type { Actor } from './actor.ts'
import { callerOf } from './caller.ts'

const refusals = {
  ofMember: () =>
    new ApiError('TOO_MANY_REQUESTS', 'You have another export running. Try again when it has finished.', {
      headers: { 'Retry-After': '10' },
    }),
  ofAll: () =>
    new ApiError('SERVICE_UNAVAILABLE', 'Too many exports are running. Try again in a minute.', {
      headers: { 'Retry-After': '60' },
    }),
}

/**
 * Runs an export and frees its share at the end.
 * @throws ApiError 429 if the caller already runs an export, 503 if too many others do
 */
export async function runExport<T>(
  running: Shares,
  actor: Pick<Actor, 'tenant' | 'user' | 'tokenId'>,
  work: () => Promise<T>,
): Promise<T> {
  const giveBack = running.take(callerOf(actor), refusals)
  try {
    return await asLongWork(work)
  } finally {
    giveBack()
  }
}
