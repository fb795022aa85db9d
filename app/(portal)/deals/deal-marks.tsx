'use client'

import { ArrowRight, CalendarClock, CircleAlert, CircleDashed, type LucideIcon } from 'lucide-react'
import { type ReactNode, createContext, useContext, useMemo } from 'react'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { useFormat } from '#app/ui/times.tsx'
import type { NextStep } from '#server/deals/milestones/next-step.ts'
import { type Stage, type StageOf, makeStageOf, type StageTone } from '#server/stages/stage.ts'
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

const StageContext = createContext<StageOf>(makeStageOf([]))

/** Provides the stages loaded by the server to the components inside. */
export function StagesOfPage({ stages, children }: { stages: Stage[]; children: ReactNode }) {
  const stageOf = useMemo(() => makeStageOf(stages), [stages])
  return <StageContext value={stageOf}>{children}</StageContext>
}

/** Returns a function that looks up stages by name. */
export const useStageOf = (): StageOf => useContext(StageContext)

/** Shows the stage of a deal in the stage's color. */
export function StageBadge({ stage }: { stage: string }) {
  return <Badge tone={stageLooks[useStageOf()(stage).tone].badge}>{stage}</Badge>
}

/** Styles of each stage color: as a badge, a dot and a bar. */
export const stageLooks: Record<StageTone, { badge: Tone; dot: string; bar: string }> = {
  gray: { badge: 'neutral', dot: 'bg-control', bar: 'fill-control' },
  blue: { badge: 'info', dot: 'bg-info', bar: 'fill-info' },
  violet: { badge: 'violet', dot: 'bg-violet', bar: 'fill-violet' },
  teal: { badge: 'teal', dot: 'bg-teal', bar: 'fill-teal' },
  green: { badge: 'good', dot: 'bg-good', bar: 'fill-good' },
}

const text = 'Changed since your last visit'

/** Marks a deal that changed since the viewer's last visit. */
export const UnseenMark = ({ className }: { className: string }) => (
  <span title={text} className={`rounded-full bg-accent print:hidden ${className}`}>
    <span className="sr-only">{text}</span>
  </span>
)

/** Shows the old and the new value of a field. Null means empty. */
export function FromTo({ label, from, to }: { label: string; from: string | null; to: string | null }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]">
      <dt className="text-ink-soft">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        {from === null && <span className="text-ink-soft">set to</span>}
        {to === null && <span className="text-ink-soft">cleared, was</span>}
        {from !== null && <Value quiet>{from}</Value>}
        {from !== null && to !== null && (
          <>
            <span className="sr-only">to</span>
            <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 translate-y-0.5 text-ink-soft" />
          </>
        )}
        {to !== null && <Value>{to}</Value>}
      </dd>
    </div>
  )
}

function Value({ quiet = false, children }: { quiet?: boolean; children: string }) {
  return (
    <span className={`min-w-0 whitespace-pre-line wrap-anywhere ${quiet ? 'text-ink-soft' : ''}`}>
      {children}
    </span>
  )
}
