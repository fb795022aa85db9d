import type { Database } from '#db/client.ts'
import { findSession } from '../accounts/session-store.ts'
import { asLongWork } from '../admission/slots.ts'
import { ApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { type Actor, callerOf } from './actor.ts'

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

/** Interval at which an export checks that its user is still signed in. */
const accessCheckMs = 3000

type Take<Part> = (part: Part) => Promise<void>

/**
 * Runs an export and passes each part to `take`.
 * @throws ApiError 429 if the caller already runs an export, 503 if too many are running, 401 if the session ends
 */
export async function runExport<Part>(
  { db, admission }: Pick<Services, 'db' | 'admission'>,
  actor: Pick<Actor, 'tenant' | 'user' | 'tokenId'>,
  take: Take<Part>,
  work: (take: Take<Part>) => Promise<void>,
): Promise<void> {
  const release = admission.exports.take(callerOf(actor), refusals)
  let checkedAt = performance.now()
  try {
    await asLongWork(() =>
      work(async (part) => {
        if (performance.now() - checkedAt > accessCheckMs) {
          await requireSession(db, actor)
          checkedAt = performance.now()
        }
        await take(part)
      }),
    )
  } finally {
    release()
  }
}

/** @throws ApiError 401 if the user's session has ended, or the user has another role */
async function requireSession(db: Database, { user }: Pick<Actor, 'user'>): Promise<void> {
  if (user === null) return
  if ((await findSession(db, user.sessionHash))?.user.role !== user.role)
    throw new ApiError('UNAUTHORIZED', 'Sign in first')
}
