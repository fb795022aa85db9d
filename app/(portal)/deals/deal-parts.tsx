'use client'

import {
  CircleAlert,
  CircleHelp,
  CirclePause,
  CircleSlash2,
  Hourglass,
  MessageCircleQuestionMark,
  type LucideIcon,
} from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { Link } from '#app/ui/link.tsx'
import { Popover, lazyContent } from '#app/ui/popover.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { Blocker, ResponsibleRole } from '#server/deals/blocker.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import { responsibleLabels } from '#server/deals/labels.ts'
import { waitsFor } from '#server/deals/next-step.ts'
import type { Step } from '#server/deals/timeline.ts'
import type { Stage } from '#server/stages/stage.ts'
import { responsibleFor } from './contact.ts'
import { TimeText } from './deal-marks.tsx'
import { alarming, fieldLabels, personName } from './fields.ts'
import { dateLabel, waitingText } from './timeline-text.ts'

export function DealSection({
  title,
  icon: Icon,
  aside,
  children,
}: {
  title: string
  icon: LucideIcon
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id={id} className="flex items-center gap-2 font-semibold">
          <Icon aria-hidden="true" className="size-4 text-ink-soft" />
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Shows labels with values. Omits unknown values, and shows `none` if all are unknown. */
export function DealFacts({ facts, none }: { facts: { label: string; value: ReactNode }[]; none: string }) {
  const known = facts.filter(
    ({ value }) => value !== null && value !== undefined && value !== '' && value !== false,
  )
  if (known.length === 0) return <p className="text-ink-soft">{none}</p>
  return (
    <dl className="grid grid-cols-[minmax(4.5rem,auto)_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2">
      {known.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="max-w-36 text-ink-soft">{label}</dt>
          <dd className="min-w-0 whitespace-pre-line wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Starts and ends editing of a section. */
export const EditButton = ({
  isEditing,
  setEditing,
  children,
}: {
  isEditing: boolean
  setEditing: (isEditing: boolean) => void
  children: ReactNode
}) => (
  <button
    type="button"
    onClick={() => setEditing(!isEditing)}
    className="touch rounded text-ink-soft hover:text-ink hover:underline print:hidden"
  >
    {isEditing ? 'Done' : children}
  </button>
)

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
  blocker,
  timeline,
  nowMs,
}: {
  stage: Stage
  blocker: Blocker | null
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
      <span className="min-w-0">{waitingText({ stage: name, kind, blocker }, waiting, nowMs, format)}</span>
    </p>
  )
}

/** Shows who is responsible for the deal and its open tasks, and lets the partner's people ask. */
export function ResponsibleLine({
  deal,
  responsible,
  onAsk,
}: {
  deal: KnownDeal
  responsible: ResponsibleRole | null
  /** Opens the question form on the page. If omitted, the Ask button opens the deal's page. */
  onAsk?: () => void
}) {
  const { role, person } = responsibleFor(deal, responsible)
  const open = alarming.filter((flag) => deal[flag]).map((flag) => fieldLabels[flag].label)
  const { seesAllPartners } = useViewer()
  if (person === null && responsible === null && open.length === 0 && seesAllPartners) return null
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 sm:px-5">
      {person !== null && (
        <p className="min-w-0 wrap-anywhere">
          <span className="text-ink-soft">{fieldLabels[role].label}: </span>
          <span className="font-medium">{personName(person)}</span>
        </p>
      )}
      {person === null && responsible !== null && (
        <p className="font-medium">
          {(responsible === 'lender' && deal.lender) || responsibleLabels[responsible]}
        </p>
      )}
      {open.length > 0 && (
        <p>
          <span className="text-ink-soft">Open: </span>
          <span className="font-medium">{open.join(', ')}</span>
        </p>
      )}
      {!seesAllPartners && (
        <>
          <Ask id={String(deal.id)} onAsk={onAsk} />
          <Assignee id={String(deal.id)} />
        </>
      )}
    </div>
  )
}

function Ask({ id, onAsk }: { id: string; onAsk: (() => void) | undefined }) {
  const content = (
    <>
      <MessageCircleQuestionMark aria-hidden="true" className="size-4" />
      Ask
    </>
  )
  const look = `${button.plain} max-lg:h-11`
  return onAsk === undefined ? (
    <Link href={`/deals/${id}?ask`} className={look}>
      {content}
    </Link>
  ) : (
    <button type="button" onClick={onAsk} className={`${look} ml-auto max-sm:ml-0`}>
      {content}
    </button>
  )
}

function Assignee({ id }: { id: string }) {
  const { data } = trpc.deals.assignee.useQuery({ id })
  if (data === undefined) return null
  return (
    <div className="flex min-w-0 items-center gap-2">
      <p className="min-w-0 wrap-anywhere">
        {data === null ? (
          <span className="text-ink-soft">Unassigned</span>
        ) : (
          <>
            <span className="text-ink-soft">Assigned to: </span>
            <span className="font-medium">{data.name}</span>
          </>
        )}
      </p>
      <AssignButton ids={[id]} current={data?.userId ?? null} label={data === null ? 'Assign' : 'Reassign'} />
    </div>
  )
}

const Colleagues = lazyContent(() => import('./colleagues.tsx').then((module) => module.Colleagues))

/** Assigns deals. `current` is the assignee of all of them, or null if nobody is assigned. */
export function AssignButton({
  ids,
  current,
  label,
  onAssigned,
}: {
  ids: string[]
  current?: number | null
  label: string
  onAssigned?: () => void
}) {
  return (
    <Popover
      label="Assign to"
      trigger={(props) => (
        <Button {...props} className="max-lg:min-h-11">
          {label}
        </Button>
      )}
    >
      {(close) => (
        <Colleagues
          ids={ids}
          current={current}
          onDone={() => {
            close()
            onAssigned?.()
          }}
        />
      )}
    </Popover>
  )
}

/** Shows when a step began, ended or is planned. */
export function StepDates({ step: { name, state, dates }, nowMs }: { step: Step; nowMs: number }) {
  const { formatDay } = useFormat()
  return dates.map((date) => (
    <span
      key={date.label}
      className={`block ${date.isPlan && state === 'late' ? 'text-bad' : 'text-ink-soft'}`}
    >
      {dateLabel(name, date)}{' '}
      <span className={date.isPlan ? '' : 'text-ink'}>
        <TimeText time={date.time} text={formatDay(date.time, nowMs)} />
      </span>
    </span>
  ))
}
