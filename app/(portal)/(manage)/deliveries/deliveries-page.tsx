'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { ListState } from '#app/ui/query-state.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { DayStrip } from './day-strip.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { DeliveryFilters } from './filters.tsx'
import { deliveriesParsers, listInput, resendInput } from './query.ts'
import { RetryAll } from './retry-all.tsx'

// Delay before what was typed is searched for.
const settleMs = 250
const refreshMs = 10_000

/** Shows the webhook deliveries, with filters and resending. `openedMs` is when the page was opened. */
export function DeliveriesPage({ openedMs }: { openedMs: number }) {
  const [state, setState] = useQueryStates(deliveriesParsers)
  const settled = { ...state, q: useSettled(state.q, settleMs) }
  const { data: me } = trpc.accounts.me.useQuery()
  const found = trpc.deliveries.list.useInfiniteQuery(listInput(settled, openedMs), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
  const shownAt = useShownAt(found)
  const rows = found.data?.pages.flatMap(({ deliveries }) => deliveries)
  const isFiltered = Object.values(state).some(Boolean)
  const isOfAll = me !== undefined && seesAllPartners(me)
  return (
    <>
      <PageHead
        title="Deliveries"
        about={
          isOfAll
            ? 'Events sent, or waiting to be sent, to the partners’ endpoints.'
            : 'Events sent, or waiting to be sent, to your endpoints.'
        }
      >
        <RetryAll meant={resendInput(settled, openedMs)} />
      </PageHead>
      <DayStrip chosen={state.hour} onChoose={(hour) => void setState({ hour })} />
      <DeliveryFilters state={state} onChange={(patch) => void setState(patch)} />
      <ListState
        what="deliveries"
        list={found}
        rows={rows}
        empty={
          isFiltered ? (
            <Notice icon={Send} title="No matching deliveries">
              Try another search, status, endpoint or time.
            </Notice>
          ) : (
            <Notice icon={Send} title="No deliveries yet">
              Set an endpoint, then change a deal or send a test event.
            </Notice>
          )
        }
      >
        {(deliveries) => <DeliveriesTable rows={deliveries} nowMs={shownAt} isOfAll={isOfAll} />}
      </ListState>
    </>
  )
}
