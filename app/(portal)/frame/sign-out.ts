import { unstable_rethrow } from 'next/navigation'
import { dropCachedPages } from '#app/cached-pages.ts'
import { leaveBy } from '#app/leave-document.ts'
import { signOutHere } from './actions.ts'

/** Signs out of this browser. Queries that fail in the meantime do not redirect. */
export async function signOut(): Promise<void> {
  await dropCachedPages()
  await leaveBy(signOutHere, isRedirect)
}

function isRedirect(error: unknown): boolean {
  try {
    unstable_rethrow(error)
    return false
  } catch {
    return true
  }
}
