import { unstable_rethrow } from 'next/navigation'
import { leaveBy } from '#app/leave-document.ts'
import { signOutHere } from './actions.ts'

/** Signs this browser out and leads to the sign-in page. What the page asks meanwhile is refused, and does not lead back. */
export const signOut = () => leaveBy(signOutHere, isRedirect)

/** Returns whether Next throws this to lead to another page. */
function isRedirect(error: unknown): boolean {
  try {
    unstable_rethrow(error)
    return false
  } catch {
    return true
  }
}
