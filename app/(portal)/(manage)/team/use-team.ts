'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { pageByPage, useList } from '#app/ui/list.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import type { Api } from '#server/api.ts'
import { teamFilter, teamQuery } from './query.ts'

export type TeamPerson = inferRouterOutputs<Api>['team']['list']['people'][number]
export type Me = inferRouterOutputs<Api>['accounts']['me']

const settleMs = 250

/** Loads the members or the invited users that match the page's query. */
export function useTeam(isInvited: boolean, isOfAll: boolean) {
  const [state] = useQueryStates(teamQuery.parsers)
  const q = useSettled(state.q, settleMs)
  const filter = teamFilter({ ...state, q }, isInvited, isOfAll)
  return useList(trpc.team.list.useInfiniteQuery(filter, pageByPage), ({ people }) => people)
}

/** Loaded members or invited users. */
export type Team = ReturnType<typeof useTeam>

/** A link for the admin to send by hand, and its recipient. */
export interface DisplayedLink {
  email: string
  link: string
  kind: 'invitation' | 'reset'
}

/**
 * Returns an error handler that shows why an action was rejected (`gone` if the user no longer exists) and
 * reloads the list.
 */
export function useRefusal(gone: string) {
  const { team } = trpc.useUtils()
  return (error: Parameters<typeof refusalMessage>[0]) => {
    toast.error(error.data?.code === 'NOT_FOUND' ? gone : refusalMessage(error))
    void team.list.invalidate()
  }
}
