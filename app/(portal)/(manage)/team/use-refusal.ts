'use client'

import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'

/** Returns what to do when an action is refused: shows why, `gone` if its person is no longer there, and reloads the list. */
export function useRefusal(gone: string) {
  const { team } = trpc.useUtils()
  return (error: Parameters<typeof refusalMessage>[0]) => {
    toast.error(error.data?.code === 'NOT_FOUND' ? gone : refusalMessage(error))
    void team.list.invalidate()
  }
}
