'use client'

import { History as HistoryIcon } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { SectionFailure } from '#app/ui/states.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { isTechnical } from '#server/deals/event.ts'
import type { HistoryPage } from '#server/deals/find/router.ts'
import type { Prepared } from '#server/protocol/prepared.ts'
import { fieldLabels } from '../field-labels.ts'
import { FromTo } from '../from-to.tsx'
import { fieldText } from './field-text.ts'
import { DealSection } from './section.tsx'

type DealEvent = HistoryPage['events'][number]

const valueOf = (prepared: Prepared<HistoryPage>) => prepared.value()

/** Shows the events of a deal, newest first. */
export function History({ id }: { id: string }) {
  return (
    <DealSection title="History" icon={HistoryIcon}>
      <Events id={id} />
    </DealSection>
  )
}

/** Shows the newest events, or those before a sequence, with a button for older ones. */
function Events({ id, before }: { id: string; before?: number }) {
  const {
    data: page,
    dataUpdatedAt: nowMs,
    error,
    refetch,
  } = trpc.deals.history.useQuery({ id, ...(before === undefined ? {} : { before }) }, { select: valueOf })
  const [isMoreShown, showMore] = useState(false)
  if (page === undefined) {
    if (error === null)
      return (
        <p role="status" className="pt-3 text-ink-soft">
          Loading history…
        </p>
      )
    return <SectionFailure error={error} retry={refetch} className="gap-3 pt-3" />
  }
  if (page.events.length === 0 && before === undefined)
    return <p className="text-ink-soft">No changes recorded yet.</p>
  return (
    <>
      <ol aria-label={before === undefined ? 'Events' : 'Older events'} className="divide-y divide-line">
        {page.events.map((event) => (
          <EventRow key={event.sequence} event={event} nowMs={nowMs} />
        ))}
      </ol>
      {page.next !== null &&
        (isMoreShown ? (
          <div className="border-t border-line">
            <Events id={id} before={page.next} />
          </div>
        ) : (
          <button type="button" onClick={() => showMore(true)} className={`${button.plain} mt-4`}>
            Show more
          </button>
        ))}
    </>
  )
}

function EventRow({ event: { type, timestamp, changes }, nowMs }: { event: DealEvent; nowMs: number }) {
  const format = useFormat()
  const shown = changes.filter(({ field }) => !isTechnical(field))
  return (
    <li className="py-3 first:pt-0">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="min-w-0 font-medium wrap-anywhere">
          {type === 'deal.created' ? 'Deal added' : titleOf(changes)}
        </h3>
        <time dateTime={timestamp} title={format.formatInstant(timestamp)} className="text-xs text-ink-soft">
          {format.formatAgo(timestamp, nowMs)}
        </time>
      </div>
      {shown.length > 0 && (
        <dl className="mt-2 grid gap-1.5">
          {shown.map(({ field, from, to }) => (
            <FromTo
              key={field}
              label={fieldLabels[field].label}
              from={fieldText(field, from, format)}
              to={fieldText(field, to, format)}
            />
          ))}
        </dl>
      )}
    </li>
  )
}

function titleOf(changes: DealEvent['changes']): string {
  const stage = changes.find(({ field }) => field === 'stage')?.to
  return typeof stage === 'string' && stage !== '' ? `Moved to ${stage}` : 'Updated'
}
