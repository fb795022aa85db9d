import { CalendarClock, Check, CircleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormat } from '#app/ui/times.tsx'
import type { NearestMilestone } from '#server/deals/milestones/nearest.ts'
import { daysLateText } from './milestone-text.ts'

/** Shows what is late, else what is next, else what happened last. */
export function NearestMilestoneLine({ milestone, nowMs }: { milestone: NearestMilestone; nowMs: number }) {
  const { formatDay } = useFormat()
  const { kind, label, time } = milestone
  if (kind === 'late') return <LateMilestone milestone={milestone} />
  return (
    <Line icon={kind === 'ahead' ? CalendarClock : Check} time={time} text={formatDay(time, nowMs)}>
      <span className="sr-only">{kind === 'ahead' ? 'Next: ' : 'Last: '}</span>
      {label}
    </Line>
  )
}

/** Shows the step for which a deal is late, if it is. */
export function LateMilestone({ milestone }: { milestone: NearestMilestone | null | undefined }) {
  if (milestone?.kind !== 'late') return null
  const { time, label } = milestone
  return (
    <Line
      icon={CircleAlert}
      time={time}
      text={daysLateText(milestone)}
      className="font-medium text-bad tabular-nums"
    >
      {label}
    </Line>
  )
}

/** Shows a milestone and its time; narrow layouts keep the time. */
function Line({
  icon: Icon,
  time,
  text,
  className = '',
  children,
}: {
  icon: LucideIcon
  time: string
  text: string
  className?: string
  children: ReactNode
}) {
  return (
    <span className={`flex items-center gap-1.5 ${className}`}>
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span className="flex min-w-0 gap-1">
        <span className="truncate">{children} </span>
        <TimeText time={time} text={text} />
      </span>
    </span>
  )
}

/** Shows a time as `text`. */
export function TimeText({ time, text }: { time: string; text: string }) {
  const { formatInstant } = useFormat()
  return (
    <time dateTime={time} title={formatInstant(time)} className="whitespace-nowrap">
      {text}
    </time>
  )
}
