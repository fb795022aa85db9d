import { Refusal } from '../protocol/errors.ts'

/** Whose export it is: a person's, or a token's. */
interface Asker {
  user: { id: number } | null
  tokenId: number | null
}

// Each export holds a connection to the database for as long as its reader takes.
const runningMax = 2

/**
 * Does the work of an export; its slot among those that the process has `running` is free again when that ends, however it ends.
 * @throws Refusal 429 when the asker has another export running, 503 when others have too many
 */
export async function runExport<T>(
  running: Set<string>,
  { user, tokenId }: Asker,
  work: () => Promise<T>,
): Promise<T> {
  const asker = user === null ? `token ${tokenId}` : `user ${user.id}`
  if (running.has(asker))
    throw new Refusal(
      'TOO_MANY_REQUESTS',
      'You have another export running. Try again when it has finished.',
      { headers: { 'Retry-After': '10' } },
    )
  if (running.size >= runningMax)
    throw new Refusal('SERVICE_UNAVAILABLE', 'Too many exports are running. Try again in a minute.', {
      headers: { 'Retry-After': '60' },
    })
  running.add(asker)
  try {
    return await work()
  } finally {
    running.delete(asker)
  }
}
