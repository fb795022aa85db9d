import { failureMessage, refusalMessage } from './failure-message.ts'
import { toast } from './toast.tsx'

/** Shows a toast that explains why a call failed. */
export const toastFailure = (error: unknown) => toast.error(failureMessage(error))

/** Shows a toast that explains why a request was rejected or failed. */
export const toastRefusal = (error: Parameters<typeof refusalMessage>[0]) =>
  toast.error(refusalMessage(error))

/** Returns mutation options that, on success, reload queries, then show `text` and call `then`. */
export const done = (reload: () => Promise<unknown>, text: string | null = null, then?: () => void) => ({
  async onSuccess() {
    await reload()
    if (text !== null) toast.success(text)
    then?.()
  },
})
