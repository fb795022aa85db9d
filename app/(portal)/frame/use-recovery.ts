import { type Query, useQueryClient } from '@tanstack/react-query'
import { TRPCClientError } from '@trpc/client'
import { useEffect } from 'react'

/** How often to retry the server. */
const retryMs = 3000

/** Returns whether a query failed without an answer of the server. */
const isUnanswered = ({ state: { status, error } }: Query) =>
  status === 'error' && error instanceof TRPCClientError && error.data == null

/** Loads again, once the server can be reached, what could not be loaded. A browser that was online all the time does not know. */
export function useRecovery(): void {
  const client = useQueryClient()
  useEffect(() => {
    const failed = { type: 'active', predicate: isUnanswered } as const
    const timer = setInterval(() => {
      if (!navigator.onLine || client.getQueryCache().findAll(failed).length === 0) return
      const probe = new Image()
      probe.addEventListener('load', () => void client.refetchQueries(failed))
      probe.src = `/icons/192.png?${Date.now()}`
    }, retryMs)
    return () => clearInterval(timer)
  }, [client])
}
