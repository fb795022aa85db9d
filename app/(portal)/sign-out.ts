import { unstable_rethrow } from 'next/navigation'
import { leaveBy } from '#app/leave-document.ts'
import { signOutHere } from './actions.ts'

/** Signs this browser out and leads to the sign-in page. Queries that are refused meanwhile do not redirect. */
export const signOut = () => leaveBy(signOutHere, isRedirect)

/** Returns whether this is what Next throws to redirect. */
function isRedirect(error: unknown): boolean {
  try {
    unstable_rethrow(error)
    return false
  } catch {
    return true
  }
}
