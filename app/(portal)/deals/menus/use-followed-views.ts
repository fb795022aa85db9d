'use client'

import { hashKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { useZone } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { DealFilter } from '#server/deals/find/wire.ts'
import { dayOf } from '#server/protocol/zone.ts'
import { filterOf, readDealsQuery } from '../query.ts'
import type { SavedView } from './use-current-view.ts'

/** Returns the filters of the views that the user follows, by id, and what follows a view or stops to. */
export function useFollowedViews(views: readonly SavedView[] | undefined) {
  const today = dayOf(new Date(), useZone())
  const { notifications } = trpc.useUtils()
  const { data } = trpc.notifications.views.useQuery()
  const { mutate } = trpc.notifications.followView.useMutation({
    onSettled: () => notifications.views.invalidate(),
    onError: (error) => void toast.error(failureMessage(error)),
  })
  const followed = new Map(data?.map(({ viewId, filter }) => [viewId, filter]))
  // What a view means changes when it is saved again and, with "last 7 days", from day to day.
  const outdated = views
    ?.map(({ id, query }) => ({ id, filter: filterOfView(query, today) }))
    .find(({ id, filter }) => followed.has(id) && hashKey([filter]) !== hashKey([followed.get(id)]))
  const outdatedKey = outdated && hashKey([outdated])
  useEffect(() => {
    if (outdatedKey !== undefined)
      mutate((JSON.parse(outdatedKey) as [{ id: number; filter: DealFilter }])[0])
  }, [outdatedKey, mutate])
  return {
    followed,
    follow({ id, name, query }: SavedView, isOn: boolean) {
      mutate(
        { id, filter: isOn ? filterOfView(query, today) : null },
        {
          onSuccess: () =>
            void toast.success(
              isOn ? `You follow the deals in “${name}”.` : `You no longer follow “${name}”.`,
            ),
        },
      )
    },
  }
}

const filterOfView = (query: string, today: string): DealFilter =>
  filterOf(readDealsQuery(new URLSearchParams(query)) as Parameters<typeof filterOf>[0], today)
