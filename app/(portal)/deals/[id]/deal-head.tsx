'use client'

import { ArrowLeft } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { formatDollars } from '#app/ui/format.ts'
import { Link, useRouter } from '#app/ui/link.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { useFormat } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { blockerOf } from '#server/deals/blocker.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import type { ObservedDeal } from '#server/deals/event.ts'
import type { DealPayment } from '#server/deals/payment.ts'
import type { Step } from '#server/deals/timeline.ts'
import type { Stage } from '#server/stages/stage.ts'
import { InStage, TimeText } from '../deal-marks.tsx'
import { WaitingLine, ResponsibleLine } from '../deal-parts.tsx'
import { dealAddress, dealTitle, paymentText } from '../deal-text.ts'
import { alarming, fieldLabels, sizeText } from '../fields.ts'
import { stageLooks } from '../stages-of-page.tsx'
import { nextDate } from '../timeline-text.ts'
import { QuickContact } from './contact-links.tsx'
import { lastList } from './last-list.ts'

// Not rendered on the server: only the browser knows the list from which the deal was opened.
const ListNeighbours = lazyPart(() => import('./head-buttons.tsx').then((module) => module.ListNeighbours))

const FollowButton = lazyPart(() => import('./head-buttons.tsx').then((module) => module.FollowButton))

/** Shows the deal's name, stage, figures and what the deal is waiting for. */
export function DealHead({
  id,
  deal,
  stage,
  timeline,
  payment,
  onAsk,
  nowMs,
}: {
  id: string
  deal: ObservedDeal
  stage: Stage
  timeline: Step[]
  /** Null for a lost deal and while the payment is loading. */
  payment: DealPayment | null
  onAsk: () => void
  nowMs: number
}) {
  const { hold: blocker = null, holder: responsible = null } = blockerOf(deal, stage, nowMs) ?? {}
  return (
    <header className="mb-5">
      <div className="mb-3 flex min-h-9 items-center max-lg:min-h-11 justify-between gap-3">
        <BackLink />
        <div className="flex items-center gap-2">
          <FollowButton key={id} id={id} />
          <ListNeighbours id={id} stage={stage} />
        </div>
      </div>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <DealIdentity deal={deal} stage={stage} />
        <QuickContact deal={deal} responsible={responsible} />
      </div>
      <div className="overflow-clip rounded-xl border border-line bg-surface">
        <WaitingLine stage={stage} blocker={blocker} timeline={timeline} nowMs={nowMs} />
        <ResponsibleLine deal={deal} responsible={responsible} onAsk={onAsk} />
        <DealFigures deal={deal} timeline={timeline} payment={payment} nowMs={nowMs} />
      </div>
    </header>
  )
}

function BackLink() {
  const router = useRouter()
  function goBack(event: MouseEvent) {
    const list = lastList()
    if (list === null || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    // Going back in the browser's history restores the scroll position of the list.
    if (list.isPrevious) router.back()
    else router.push(list.path)
  }
  return (
    <Link
      href="/deals?is=open"
      onClick={goBack}
      className="-ml-1.5 inline-flex items-center gap-1.5 rounded-lg px-1.5 py-1 text-ink-soft hover:text-ink print:hidden"
    >
      <ArrowLeft aria-hidden="true" className="size-4" />
      Back to deals
    </Link>
  )
}

function DealFigures({
  deal,
  timeline,
  payment,
  nowMs,
}: {
  deal: ObservedDeal
  timeline: Step[]
  payment: DealPayment | null
  nowMs: number
}) {
  const format = useFormat()
  const { formatDay } = format
  const { amount, systemSize } = deal
  const next = nextDate(timeline)
  const paid = payment && paymentText(payment, nowMs, format)
  return (
    <dl className="-mb-px flex flex-wrap *:flex-auto *:basis-40">
      {paid && (
        <Figure label={paid.label} hint={paid.hint}>
          <span className={payment.kind === 'unknown' ? 'font-normal text-ink-soft' : ''}>{paid.value}</span>
        </Figure>
      )}
      {next !== null && (
        <Figure label={next.label}>
          <TimeText time={next.time} text={formatDay(next.time, nowMs)} />
        </Figure>
      )}
      <Figure label="In stage">
        {(deal.timeInCurrentStage ?? deal.seenAt) && <InStage deal={deal} nowMs={nowMs} />}
      </Figure>
      <Figure label="Amount">{amount !== null && formatDollars(amount)}</Figure>
      <Figure label="System">{sizeText(systemSize)}</Figure>
    </dl>
  )
}

function Figure({ label, hint = '', children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="-ml-px min-w-0 border-b border-l border-line px-4 py-3 sm:px-5">
      <dt className="text-xs text-ink-soft">{label}</dt>
      <dd className="mt-0.5 text-base font-semibold wrap-anywhere tabular-nums">
        {children || <span className="font-normal text-ink-soft">Not set</span>}
        {hint !== '' && <span className="block text-xs font-normal text-ink-soft">{hint}</span>}
      </dd>
    </div>
  )
}

function DealIdentity({ deal, stage }: { deal: KnownDeal; stage: Stage }) {
  const enabled = useViewer().seesAllPartners
  const { data: partner } = trpc.deals.partner.useQuery({ id: String(deal.id) }, { enabled })
  return (
    <div className="min-w-0 max-w-full">
      <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{dealTitle(deal)}</h1>
      {partner !== undefined && <p className="mt-0.5 font-medium wrap-anywhere">{partner ?? 'No partner'}</p>}
      <p className="mt-0.5 wrap-anywhere text-ink-soft">{dealAddress(deal) || 'No address'}</p>
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
