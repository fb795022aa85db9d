import { Refusal } from '../protocol/errors.ts'

/** The owner of an export: a user or a token. */
interface Asker {
  user: { id: number } | null
  tokenId: number | null
}

// Each export holds a database connection for as long as its reader takes.
const runningMax = 2

/**
 * Runs an export; its slot in `running` is freed when it ends, in whatever way.
 * @throws Refusal 429 when the caller already runs an export, 503 when too many others do
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
