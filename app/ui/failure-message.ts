import { TRPCClientError } from '@trpc/client'
import type { Api } from '#server/api.ts'

/** Describes why a call failed and what to do. */
export function failureMessage(error: unknown): string {
  const data = error instanceof TRPCClientError ? (error as TRPCClientError<Api>).data : null
  if (data?.code === 'UNAUTHORIZED') return 'You are signed out. Reload this page to sign in again.'
  if (data?.code === 'TOO_MANY_REQUESTS') return `${error instanceof Error ? error.message : ''}.`
  if (data) return 'Something went wrong on our side. Nothing was changed; try again in a moment.'
  return 'Could not connect. Check your connection and try again.'
}

/** Describes a rejected request, or another error like `failureMessage`. */
export function refusalMessage(error: {
  message: string
  data?: { code: string } | null | undefined
}): string {
  return error.data?.code === 'BAD_REQUEST' ? `${error.message}.` : failureMessage(error)
}
