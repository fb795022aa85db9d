'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { CloudOff, Send } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { DayStrip } from './day-strip.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { Filters } from './filters.tsx'
import { deliveriesParsers, listInput } from './query.ts'
import { ResendFailed } from './resend-failed.tsx'

// Delay before a typed deal ID is searched for.
const settleMs = 250
const refreshMs = 10_000

/** Shows the webhook deliveries, with filters and resending. `openedMs` is when the page was opened. */
export function DeliveriesPage({ openedMs }: { openedMs: number }) {
  const [state, setState] = useQueryStates(deliveriesParsers)
  const settled = { ...state, deal: useSettled(state.deal, settleMs) }
  const input = listInput(settled, openedMs)
  const { data: me } = trpc.accounts.me.useQuery()
  const found = trpc.deliveries.list.useInfiniteQuery(input ?? {}, {
    enabled: input !== undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
  const rows = input === undefined ? [] : found.data?.pages.flatMap(({ deliveries }) => deliveries)
  const isFiltered = Object.values(state).some(Boolean)
  const isOfAll = me?.role === 'operator' && me.chosenPartner === null
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
        <ResendFailed />
      </PageHead>
      <DayStrip chosen={state.hour} onChoose={(hour) => void setState({ hour })} />
      <Filters state={state} isDealWrong={input === undefined} onChange={(patch) => void setState(patch)} />
      {rows === undefined ? (
        found.error === null ? (
          <p role="status" className="text-ink-soft">
            Loading deliveries…
          </p>
        ) : (
          <Notice
            icon={CloudOff}
            title="Could not load deliveries"
            action={
              <button type="button" onClick={() => found.refetch()} className={button.primary}>
                Try again
              </button>
            }
          >
            {failureMessage(found.error)}
          </Notice>
        )
      ) : rows.length === 0 ? (
        <Notice icon={Send} title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
          {isFiltered
            ? 'Try another status, endpoint or time.'
            : 'Set an endpoint, then change a deal or send a test event.'}
        </Notice>
      ) : (
        <>
          <DeliveriesTable rows={rows} nowMs={found.dataUpdatedAt} isOfAll={isOfAll} />
          <ShowMore found={found} />
        </>
      )}
    </>
  )
}
