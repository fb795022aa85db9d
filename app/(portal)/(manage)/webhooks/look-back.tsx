'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { DealField } from '#server/deals/deal.ts'
import type { EventType } from '#server/deals/event.ts'
import { dealTitle } from '../../deals/deal-text.ts'

/** Either a filter that is being edited, or the id of a subscription. */
type Choice = { events: EventType[]; filter: string | null; changed: DealField[] | null } | { id: string }

/** Counts the events that would be sent. */
export const useLookBack = (choice: Choice) =>
  trpc.subscriptions.lookBack.useQuery(choice, {
    enabled: 'id' in choice || choice.events.length > 0,
    placeholderData: (former) => former,
  })

/**
 * Shows what a filter would have sent in the last 30 days, or what a subscription has sent and withheld since
 * its filter was set.
 */
export function LookBack({ choice }: { choice: Choice }) {
  const query = useLookBack(choice)
  const { formatInstant } = useFormat()
  const { problems = [], counts = null } = query.data ?? {}
  return (
    <section aria-label="Look back" className="rounded-lg bg-sunken p-4">
      <div role="status" className="text-pretty">
        {query.error !== null && <p className="text-bad">{failureMessage(query.error)}</p>}
        {problems.length > 0 && <p>Correct the conditions to see what they would have sent.</p>}
        {counts !== null && (
          <>
            <p>{sentenceOf(counts, 'id' in choice)}</p>
            {counts.isCut && counts.since !== null && (
              <p className="text-ink-soft">
                Counted since {formatInstant(counts.since)}: earlier events were recorded before filters.
              </p>
            )}
            {counts.unseen.map(({ parameter, text }) => (
              <p key={`${parameter} ${text}`} className="text-wait">
                No event had the {parameter} “{text}”.
              </p>
            ))}
          </>
        )}
      </div>
      {counts !== null && counts.total > 0 && <LookedAt key={JSON.stringify(choice)} choice={choice} />}
    </section>
  )
}

function sentenceOf(
  { total, ...counts }: Record<'total' | 'entered' | 'in' | 'left', number>,
  isStored: boolean,
): string {
  const sent = formatCount(counts.entered + counts.in + counts.left)
  return (
    (isStored
      ? `Since the filter was set, ${sent} of ${formatCount(total)} events passed: `
      : `In the last 30 days this would have sent ${sent} of ${formatCount(total)} events: `) +
    `${formatCount(counts.entered)} entered, ${formatCount(counts.in)} in, ${formatCount(counts.left)} left.`
  )
}

/** Lists the events that would have been sent, or those that would have been withheld. */
function LookedAt({ choice }: { choice: Choice }) {
  const [isSent, setSent] = useState<boolean | null>(null)
  return (
    <div className="mt-3">
      <div className="flex flex-wrap gap-2">
        <Button aria-pressed={isSent === true} onClick={() => setSent(isSent === true ? null : true)}>
          Show sent
        </Button>
        <Button aria-pressed={isSent === false} onClick={() => setSent(isSent === false ? null : false)}>
          Show withheld
        </Button>
      </div>
      {isSent !== null && <EventList key={String(isSent)} choice={choice} isSent={isSent} />}
    </div>
  )
}

function EventList({ choice, isSent }: { choice: Choice; isSent: boolean }) {
  const { formatInstant } = useFormat()
  const list = trpc.subscriptions.lookedAt.useInfiniteQuery(
    { ...choice, isSent },
    { getNextPageParam: ({ next }) => next },
  )
  const events = list.data?.pages.flatMap((page) => page.events) ?? []
  if (list.error !== null) return <p className="mt-3 text-bad">{failureMessage(list.error)}</p>
  return (
    <>
      <ul aria-label={isSent ? 'Sent events' : 'Withheld events'} className="mt-3 flex flex-col gap-1">
        {events.map(({ sequence, type, result, dealId, deal, at }) => (
          <li key={sequence}>
            <span className="font-mono text-[0.8125rem]">{type}</span> #{formatCount(sequence)}
            {result !== null && ` ${result}`}:{' '}
            <Link href={`/deals/${dealId}`} className="underline underline-offset-2">
              {dealTitle({ ...deal, id: dealId })}
            </Link>{' '}
            <span className="text-ink-soft">{formatInstant(at)}</span>
          </li>
        ))}
      </ul>
      {list.isSuccess && events.length === 0 && <p className="mt-3 text-ink-soft">None.</p>}
      {list.hasNextPage && (
        <Button className="mt-3" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  )
}
