import {
  CalendarClock,
  Check,
  CircleAlert,
  CircleDashed,
  CircleHelp,
  LoaderCircle,
  type LucideIcon,
  Minus,
  Route,
} from 'lucide-react'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/times.tsx'
import { isFailure, milestoneOf } from '#server/deals/milestone.ts'
import type { ExpectedStep } from '#server/deals/payment.ts'
import { type Step, type StepState, countSteps, isOpen } from '#server/deals/timeline.ts'
import { DealSection, StepDates } from '../deal-parts.tsx'
import { usualText } from '../deal-text.ts'
import { spanText, gapText } from '../timeline-text.ts'

/** Shows the steps of a deal with their dates. For open steps, also shows when the step usually ends. */
export function Timeline({
  steps,
  expected,
  nowMs,
}: {
  steps: Step[]
  expected: Partial<Record<Step['name'], ExpectedStep>>
  nowMs: number
}) {
  const counts = countSteps(steps)
  return (
    <DealSection
      title="Timeline"
      icon={Route}
      aside={<p className="text-xs text-ink-soft tabular-nums">{countText(counts)}</p>}
    >
      <ol>
        {steps.map((step, index) => (
          <StepRow
            key={step.name}
            step={step}
            expected={isOpen(step.state) || step.state === 'toDo' ? expected[step.name] : undefined}
            isLast={index === steps.length - 1}
            nowMs={nowMs}
          />
        ))}
      </ol>
    </DealSection>
  )
}

const looks: Record<StepState, { icon: LucideIcon; dot: string; read: string }> = {
  done: { icon: Check, dot: 'bg-good-soft text-good', read: 'Done' },
  running: { icon: LoaderCircle, dot: 'bg-info-soft text-info', read: 'Under way' },
  planned: { icon: CalendarClock, dot: 'bg-info-soft text-info', read: 'Planned' },
  late: { icon: CircleAlert, dot: 'bg-bad-soft text-bad', read: 'Late' },
  next: { icon: CircleDashed, dot: 'bg-sunken text-ink', read: 'Next' },
  toDo: { icon: CircleDashed, dot: 'bg-surface text-ink-soft', read: 'Not yet' },
  notRequired: { icon: Minus, dot: 'bg-surface text-ink-soft', read: 'Not required' },
  unknown: { icon: CircleHelp, dot: 'bg-surface text-ink-soft', read: 'Not known' },
}

function StepRow({
  step,
  expected,
  isLast,
  nowMs,
}: {
  step: Step
  expected: ExpectedStep | undefined
  isLast: boolean
  nowMs: number
}) {
  const { label, state, gap, result } = step
  const { icon: Icon, dot, read } = looks[state]
  const isQuiet = state === 'toDo' || state === 'notRequired' || state === 'unknown'
  return (
    <li data-state={state} className="relative">
      {!isLast && (
        <span aria-hidden="true" className="absolute top-8 bottom-[-0.5rem] left-3.5 w-px bg-line" />
      )}
      {gap !== null && <p className="ml-10 pb-1 text-xs text-ink-soft">{gapText(gap)}</p>}
      <div
        className={`relative grid grid-cols-[1.75rem_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-0.5 sm:grid-cols-[1.75rem_minmax(0,10rem)_minmax(0,1fr)_auto] ${isLast ? '' : 'pb-4'}`}
      >
        <span className={`grid size-7 place-items-center rounded-full ${dot}`}>
          <Icon aria-hidden="true" className="size-4" />
        </span>
        <p className={`min-w-0 pt-1 wrap-anywhere ${isQuiet ? 'text-ink-soft' : 'font-medium'}`}>
          {label}
          <span className="sr-only">: {read}</span>
        </p>
        <div className="flex flex-wrap items-center justify-end gap-2 pt-1 sm:order-last">
          <Side step={step} nowMs={nowMs} />
        </div>
        <div className="flex flex-wrap gap-x-3 gap-y-0.5 pt-1 max-sm:col-span-2 max-sm:col-start-2 max-sm:pt-0">
          <StepDates step={step} nowMs={nowMs} />
          {expected !== undefined && <Expected step={step} expected={expected} nowMs={nowMs} />}
          {isUndated(step) && <span className="text-ink-soft">No date recorded</span>}
          {result !== null && (
            <span className={`min-w-0 font-medium wrap-anywhere ${isFailure(result) ? 'text-bad' : ''}`}>
              {result}
            </span>
          )}
        </div>
      </div>
    </li>
  )
}

function Expected({
  expected: { from, to, isPast, usual, since, isSlow },
  step: { state, dates },
  nowMs,
}: {
  expected: ExpectedStep
  step: Step
  nowMs: number
}) {
  const format = useFormat()
  const soFar = since === null ? null : spanText(since, nowMs, format).soFar
  // Omit the elapsed time if the row already shows it next to the state.
  const begun = dates.find(({ isPlan }) => !isPlan)
  const isSaid =
    state === 'running' && begun !== undefined && spanText(begun.time, nowMs, format).soFar === soFar
  return (
    <span className="text-ink-soft">
      {usualText(usual)} · {isPast ? 'was expected' : 'expected'} {format.formatDays(from, to, nowMs)}
      {soFar !== null && (!isSaid || isSlow) && (
        <span className={isSlow ? 'text-bad' : ''}>
          {' '}
          · {[isSaid ? [] : soFar, isSlow ? 'slower than usual' : []].flat().join(', ')}
        </span>
      )}
    </span>
  )
}

/** Returns true if the step is over, but none of its dates is recorded. */
const isUndated = ({ name, state, dates }: Step) =>
  name !== 'stage' &&
  name !== 'payment' &&
  state === 'done' &&
  dates.length === 0 &&
  milestoneOf(name).dates.length > 0

const badges: Partial<Record<StepState, Tone>> = { running: 'info', planned: 'info', next: 'neutral' }

function Side({ step: { state, dates, lengthDays, daysUntil }, nowMs }: { step: Step; nowMs: number }) {
  const format = useFormat()
  const begun = dates.find(({ isPlan }) => !isPlan)
  const quiet = 'whitespace-nowrap text-xs text-ink-soft tabular-nums'
  if (state === 'late') return <Badge tone="bad">{formatCountOf(-daysUntil!, 'day')} late</Badge>
  const tone = badges[state]
  if (tone !== undefined)
    return (
      <>
        {state === 'running' && lengthDays !== null && begun !== undefined && (
          <span className={quiet}>{spanText(begun.time, nowMs, format).going}</span>
        )}
        <Badge tone={tone}>{looks[state].read}</Badge>
      </>
    )
  if (state === 'notRequired' || state === 'unknown')
    return <span className={quiet}>{looks[state].read}</span>
  if (lengthDays === null) return null
  return <span className={quiet}>{lengthDays === 0 ? 'same day' : formatCountOf(lengthDays, 'day')}</span>
}

function countText({ done, needed, unknown }: ReturnType<typeof countSteps>): string {
  if (unknown === 0) return `${done} of ${formatCountOf(needed, 'step')} done`
  return `${formatCountOf(done, 'step')} done · ${formatCount(unknown)} not known`
}
