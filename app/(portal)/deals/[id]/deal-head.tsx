'use client'

import {
  ArrowLeft,
  CircleAlert,
  CircleCheck,
  CirclePause,
  CircleSlash2,
  Hourglass,
  Link2,
  SquareTerminal,
} from 'lucide-react'
import dynamic from 'next/dynamic'
import type { MouseEvent, ReactNode } from 'react'
import { usePartnerHref } from '#app/partner.tsx'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { useFormat } from '#app/ui/zone.tsx'
import { isManager } from '#server/accounts/role.ts'
import type { Deal } from '#server/deals/deal.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import { waitsFor } from '#server/deals/milestones/waits-for.ts'
import { type Stage, isClosed } from '#server/stages/stage.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { dealAddress, dealTitle } from '../deal-name.ts'
import { fieldLabels } from '../field-labels.ts'
import { stageLooks } from '../stage-looks.ts'
import { AskLink } from './contact-links.tsx'
import { personName } from './field-text.ts'
import { alarming } from './flags.tsx'
import { lastList } from './last-list.ts'
import { QuickContact } from './quick-contact.tsx'
import { responsibleFor } from './responsible.ts'
import { sizeText } from './system.tsx'
import { waitingText } from './waiting-text.ts'

// The browser alone knows the list that the deal was opened from.
const ListNeighbours = dynamic(
  () => import('./list-neighbours.tsx').then((module) => module.ListNeighbours),
  {
    ssr: false,
  },
)

/** Shows the deal's name, stage, figures and what it is waiting for. */
export function DealHead({
  id,
  deal,
  stage,
  timeline,
  nowMs,
}: {
  id: string
  deal: Deal
  stage: Stage
  timeline: Step[]
  nowMs: number
}) {
  return (
    <header className="mb-5">
      <div className="mb-3 flex min-h-9 items-center max-lg:min-h-11 justify-between gap-3">
        <BackLink />
        <ListNeighbours id={id} stage={stage} />
      </div>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <Identity deal={deal} stage={stage} />
        <CopyButtons id={id} />
        <QuickContact deal={deal} />
      </div>
      <div className="overflow-clip rounded-xl border border-line bg-surface">
        <Waiting deal={deal} stage={stage} timeline={timeline} nowMs={nowMs} />
        <Responsible deal={deal} />
        <DealFigures deal={deal} nowMs={nowMs} />
      </div>
    </header>
  )
}

/** Shows the deal's name, address, stage and alarming flags. */
function Identity({ deal, stage }: { deal: Deal; stage: Stage }) {
  const title = dealTitle(deal)
  return (
    <div className="min-w-0 max-w-full">
      <h1 title={title} className="line-clamp-3 text-xl font-semibold tracking-tight wrap-anywhere">
        {title}
      </h1>
      <PartnerName id={String(deal.id)} />
      <p className="mt-0.5 line-clamp-3 wrap-anywhere text-ink-soft">
        {dealAddress(deal) || 'No address yet'}
      </p>
      <div className="mt-2.5 flex max-w-full flex-wrap gap-2">
        <Badge tone={stageLooks[stage.tone].badge}>{stage.name || 'No stage'}</Badge>
        {alarming
          .filter((flag) => deal[flag])
          .map((flag) => (
            <Badge key={flag} tone="neutral">
              {fieldLabels[flag].label}
            </Badge>
          ))}
      </div>
    </div>
  )
}

/** Names the partner of the deal to those who see all partners. */
function PartnerName({ id }: { id: string }) {
  const { seesAllPartners } = useViewer()
  const { data } = trpc.deals.partner.useQuery({ id }, { enabled: seesAllPartners })
  if (!seesAllPartners || data === undefined) return null
  return <p className="mt-0.5 font-medium wrap-anywhere">{data ?? 'No partner'}</p>
}

function CopyButtons({ id }: { id: string }) {
  const hrefOf = usePartnerHref()
  const { role } = useViewer()
  return (
    <div className="flex flex-wrap gap-2 max-sm:hidden">
      <CopyButton
        icon={Link2}
        label="Copy link"
        said="Link copied."
        text={() => `${window.location.origin}${hrefOf(`/deals/${id}`)}`}
      />
      {/* Members have no tokens. */}
      {isManager(role) && (
        <CopyButton
          icon={SquareTerminal}
          label="Copy as curl"
          said="Command copied. It needs a token in $TOKEN."
          text={() => `curl -H "Authorization: Bearer $TOKEN" "${window.location.origin}/api/deals/${id}"`}
        />
      )}
    </div>
  )
}

function DealFigures({
  deal: { pipeline, timeInCurrentStage, amount, systemSize, lastModified },
  nowMs,
}: {
  deal: Deal
  nowMs: number
}) {
  const { formatAgo, formatDuration, formatInstant } = useFormat()
  return (
    <dl className="-mb-px grid grid-cols-2 sm:grid-cols-3 lg:grid-cols-5">
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
      <Figure label="Updated">
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
        {children || <span className="font-normal text-ink-soft">Unknown</span>}
      </dd>
    </div>
  )
}

const looks = {
  late: { icon: CircleAlert, colour: 'bg-bad-soft text-bad' },
  waiting: { icon: Hourglass, colour: 'bg-info-soft text-info' },
  resting: { icon: CirclePause, colour: 'bg-sunken text-ink' },
  over: { icon: CircleCheck, colour: 'bg-good-soft text-good' },
}

function Waiting({
  deal,
  stage: { kind },
  timeline,
  nowMs,
}: {
  deal: Deal
  stage: Stage
  timeline: Step[]
  nowMs: number
}) {
  const format = useFormat()
  const waiting = waitsFor(kind, timeline)
  const { icon, colour } = isClosed(kind)
    ? { icon: CircleSlash2, colour: 'bg-sunken text-ink-soft' }
    : looks[waiting.urgency]
  const Icon = icon
  return (
    <p
      className={`flex gap-2.5 border-b border-line px-4 py-3 font-medium text-pretty wrap-anywhere sm:px-5 ${colour}`}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{waitingText(deal, kind, waiting, nowMs, format)}</span>
    </p>
  )
}

/** Says who has the deal, and what is open about it. */
function Responsible({ deal }: { deal: Deal }) {
  const { role, person } = responsibleFor(deal)
  const open = alarming.filter((flag) => deal[flag]).map((flag) => fieldLabels[flag].label)
  if (person === null && open.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2.5 sm:px-5">
      {person !== null && (
        <p className="min-w-0 wrap-anywhere">
          <span className="text-ink-soft">{fieldLabels[role].label}: </span>
          <span className="font-medium">{personName(person)}</span>
        </p>
      )}
      {open.length > 0 && (
        <p>
          <span className="text-ink-soft">Open: </span>
          <span className="font-medium">{open.join(', ')}</span>
        </p>
      )}
      <AskLink deal={deal} />
    </div>
  )
}

function BackLink() {
  const router = useRouter()
  function goBack(event: MouseEvent) {
    const list = lastList()
    if (list === null || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    // Going back in the history keeps the position in the list.
    if (list.isPrevious) router.back()
    else router.push(list.path)
  }
  return (
    <Link
      href="/deals"
      onClick={goBack}
      className="-ml-1.5 inline-flex items-center gap-1.5 rounded-lg px-1.5 py-1 text-ink-soft hover:text-ink"
    >
      <ArrowLeft aria-hidden="true" className="size-4" />
      Back to deals
    </Link>
  )
}
