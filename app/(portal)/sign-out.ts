import { unstable_rethrow } from 'next/navigation'
import { dropCachedPages } from '#app/cached-pages.ts'
import { leaveBy } from '#app/leave-document.ts'
import { signOutHere } from './actions.ts'

/**
 * Signs the user out of this browser and opens the sign-in page. Queries that fail in the meantime do not
 * redirect.
 */
export async function signOut(): Promise<void> {
  await dropCachedPages()
  await leaveBy(signOutHere, isRedirect)
}

/** Returns true if Next threw the error as a redirect. */
function isRedirect(error: unknown): boolean {
  try {
    unstable_rethrow(error)
    return false
  } catch {
    return true
  }
}
