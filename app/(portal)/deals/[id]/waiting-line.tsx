'use client'

import { CircleAlert, CircleHelp, CirclePause, CircleSlash2, Hourglass } from 'lucide-react'
import { useFormat } from '#app/ui/times.tsx'
import type { Hold } from '#server/deals/milestones/money.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import { waitsFor } from '#server/deals/milestones/waits-for.ts'
import type { Stage } from '#server/stages/stage.ts'
import { waitingText } from './waiting-text.ts'

const looks = {
  late: { icon: CircleAlert, color: 'bg-bad-soft text-bad' },
  waiting: { icon: Hourglass, color: 'bg-info-soft text-info' },
  resting: { icon: CirclePause, color: 'bg-sunken text-ink' },
  unknown: { icon: CircleHelp, color: 'bg-sunken text-ink' },
  over: { icon: CircleSlash2, color: 'bg-sunken text-ink-soft' },
}

/** Shows what the deal is waiting for. */
export function WaitingLine({
  stage: { name, kind },
  hold,
  timeline,
  nowMs,
}: {
  stage: Stage
  hold: Hold | null
  timeline: Step[]
  nowMs: number
}) {
  const format = useFormat()
  const waiting = waitsFor(kind, timeline)
  const { icon: Icon, color } = looks[waiting.urgency]
  return (
    <p
      className={`flex gap-2.5 border-b border-line px-4 py-3 font-medium text-pretty wrap-anywhere sm:px-5 ${color}`}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{waitingText({ stage: name, kind, hold }, waiting, nowMs, format)}</span>
    </p>
  )
}
