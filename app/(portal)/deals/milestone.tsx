import { CalendarClock, Check, CircleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormat } from '#app/ui/zone.tsx'
import type { NearestMilestone } from '#server/deals/milestones/nearest.ts'
import { daysLateText } from './milestone-text.ts'

/** Shows what is late, else what is next, else what happened last. */
export function NearestMilestoneLine({ milestone, nowMs }: { milestone: NearestMilestone; nowMs: number }) {
  const { formatDay } = useFormat()
  const { kind, label, time } = milestone
  if (kind === 'late') return <LateMilestone milestone={milestone} />
  return (
    <Line icon={kind === 'ahead' ? CalendarClock : Check}>
      <span className="sr-only">{kind === 'ahead' ? 'Next: ' : 'Last: '}</span>
      {label} <TimeText time={time} text={formatDay(time, nowMs)} />
    </Line>
  )
}

/** Shows the step for which a deal is late, if it is. */
export function LateMilestone({ milestone }: { milestone: NearestMilestone | null | undefined }) {
  if (milestone?.kind !== 'late') return null
  return (
    <Line icon={CircleAlert} className="font-medium text-bad tabular-nums">
      <TimeText time={milestone.time} text={daysLateText(milestone)} />
    </Line>
  )
}

function Line({
  icon: Icon,
  className = '',
  children,
}: {
  icon: LucideIcon
  className?: string
  children: ReactNode
}) {
  return (
    <span className={`flex items-center gap-1.5 ${className}`}>
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <span className="truncate">{children}</span>
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
