'use client'

import { CalendarClock, CircleAlert, CircleDashed, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormat } from '#app/ui/times.tsx'
import type { NextStep } from '#server/deals/next-step.ts'
import { daysLateText, seenInStage } from './deal-text.ts'

/** Shows the next step and its date, if it has one. */
export function NextStepLine({ step, nowMs }: { step: NextStep; nowMs: number }) {
  const { formatDay } = useFormat()
  switch (step.kind) {
    case 'late':
      return <LateStep step={step} />
    case 'planned':
      return (
        <Line icon={CalendarClock} label={step.label}>
          <TimeText time={step.time} text={formatDay(step.time, nowMs)} />
        </Line>
      )
    case 'open':
      return <Line icon={CircleDashed} label={step.label} />
    case 'unknown':
      return <span className="text-ink-soft">–</span>
  }
}

/** Shows the late step of a deal, if any. */
export function LateStep({ step }: { step: NextStep | null | undefined }) {
  if (step?.kind !== 'late') return null
  return (
    <Line icon={CircleAlert} label={step.label} className="font-medium text-bad tabular-nums">
      <TimeText time={step.time} text={daysLateText(step)} />
    </Line>
  )
}

function Line({
  icon: Icon,
  label,
  className = '',
  children,
}: {
  icon: LucideIcon
  label: string
  className?: string
  children?: ReactNode
}) {
  return (
    <span className={`flex items-center gap-1.5 ${className}`}>
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span className="flex min-w-0 gap-1">
        <span className="sr-only">Next: </span>
        <span className="truncate">{label} </span>
        {children}
      </span>
    </span>
  )
}

export function TimeText({ time, text }: { time: string; text: string }) {
  const { formatInstant } = useFormat()
  return (
    <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">
      {text}
    </time>
  )
}

/** Shows how long a deal has been in its stage, or at least how long if the start is unknown. */
export function InStage({
  deal,
  nowMs,
}: {
  deal: { timeInCurrentStage?: string | null; seenAt?: string | null }
  nowMs: number
}) {
  const { formatDuration } = useFormat()
  const { timeInCurrentStage: since, seenAt } = deal
  if (since) return <TimeText time={since} text={formatDuration(since, nowMs)} />
  return seenAt && <TimeText time={seenAt} text={seenInStage(seenAt, nowMs, formatDuration)} />
}

const text = 'Changed since your last visit'

/** Marks a deal that changed since the viewer's last visit. */
export const UnseenMark = ({ className }: { className: string }) => (
  <span title={text} className={`rounded-full bg-accent print:hidden ${className}`}>
    <span className="sr-only">{text}</span>
  </span>
)
