import { TRPCClientError } from '@trpc/client'
import type { Api } from '#server/api.ts'

/** Why something could not be done, and what to do about it, in words. */
export function failureMessage(error: unknown): string {
  const data = error instanceof TRPCClientError ? (error as TRPCClientError<Api>).data : null
  if (data?.code === 'UNAUTHORIZED') return 'You are signed out. Reload this page to sign in again.'
  if (data?.code === 'TOO_MANY_REQUESTS') return `${error instanceof Error ? error.message : ''}.`
  if (data) return 'Something went wrong on our side, and nothing was changed. Try again in a moment.'
  return 'We cannot be reached. Check your connection and try again.'
}
