'use client'

import { keepPreviousData } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import type { Api } from '#server/api.ts'
import { teamFilter, teamParsers } from './query.ts'

/** A person in the list. */
export type TeamPerson = inferRouterOutputs<Api>['team']['list']['people'][number]
/** The signed-in user. */
export type Me = inferRouterOutputs<Api>['accounts']['me']

const settleMs = 250

/** Reads the people who have signed in, or those who are invited, as the page's query says. */
export function useTeam(isInvited: boolean, isOfAll: boolean) {
  const [state] = useQueryStates(teamParsers)
  const q = useSettled(state.q, settleMs)
  const found = trpc.team.list.useInfiniteQuery(teamFilter({ ...state, q }, isInvited, isOfAll), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  return { ...found, people: found.data?.pages.flatMap(({ people }) => people), nowMs: useShownAt(found) }
}

/** The people of one of the two lists, as far as they are loaded. */
export type Team = ReturnType<typeof useTeam>

/** A link to send by hand, and its recipient. */
export interface ShownLink {
  email: string
  link: string
  kind: 'invitation' | 'reset'
}
