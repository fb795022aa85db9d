import { failureMessage, refusalMessage } from '#app/failure-message.ts'
import { toast } from './toast.tsx'

/** Shows why a call failed. */
export const toastFailure = (error: unknown) => toast.error(failureMessage(error))

/** Shows why a request was rejected, or why it failed. */
export const toastRefusal = (error: Parameters<typeof refusalMessage>[0]) =>
  toast.error(refusalMessage(error))
