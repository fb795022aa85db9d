'use client'

import type { ReactNode } from 'react'
import { formatDollars } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/times.tsx'
import type { KnownDeal } from '#server/deals/deal.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import { nextDate } from './next-date.ts'
import { sizeText } from './system.tsx'

/** Shows the next date, time in stage, amount, size and pipeline of a deal, and when it last changed. */
export function DealFigures({
  deal: { pipeline, timeInCurrentStage, amount, systemSize, lastModified },
  timeline,
  nowMs,
}: {
  deal: KnownDeal
  timeline: Step[]
  nowMs: number
}) {
  const { formatAgo, formatDay, formatDuration, formatInstant } = useFormat()
  const next = nextDate(timeline)
  return (
    <dl
      className={`-mb-px grid grid-cols-2 sm:grid-cols-3 ${next === null ? 'lg:grid-cols-5' : 'lg:grid-cols-6'}`}
    >
      {next !== null && (
        <Figure label={next.label}>
          <time dateTime={next.time} title={formatInstant(next.time)}>
            {formatDay(next.time, nowMs)}
          </time>
        </Figure>
      )}
      <Figure label="In stage">
        {timeInCurrentStage !== null && (
          <time dateTime={timeInCurrentStage} title={`Since ${formatInstant(timeInCurrentStage)}`}>
            {formatDuration(timeInCurrentStage, nowMs)}
          </time>
        )}
      </Figure>
      <Figure label="Amount">{amount !== null && formatDollars(amount)}</Figure>
      <Figure label="System">{sizeText(systemSize)}</Figure>
      <Figure label="Pipeline">{pipeline}</Figure>
      <Figure label="Last modified">
        {lastModified !== null && (
          <time dateTime={lastModified} title={formatInstant(lastModified)}>
            {formatAgo(lastModified, nowMs)}
          </time>
        )}
      </Figure>
    </dl>
  )
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="-ml-px min-w-0 border-b border-l border-line px-4 py-3 sm:px-5">
      <dt className="text-xs text-ink-soft">{label}</dt>
      <dd className="mt-0.5 text-base font-semibold wrap-anywhere tabular-nums">
        {children || <span className="font-normal text-ink-soft">Not known</span>}
      </dd>
    </div>
  )
}
