'use client'

import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { IconButton } from '#app/ui/button.tsx'
import { formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { LoadFailure, Loading } from '#app/ui/states.tsx'
import { useZone } from '#app/ui/times.tsx'
import { blockerOf } from '#server/deals/blocker.ts'
import type { KnownDeal, Person } from '#server/deals/deal.ts'
import { type Observed, type ObservedDeal, withObserved } from '#server/deals/event.ts'
import { timelineOf } from '#server/deals/timeline.ts'
import type { Prepared } from '#server/values/prepared.ts'
import { InStage } from './deal-marks.tsx'
import { DealFacts, WaitingLine, ResponsibleLine, StepDates } from './deal-parts.tsx'
import { dealAddress, dealTitle } from './deal-text.ts'
import { personName, sizeText, fieldLabels, labelledRoleFields } from './fields.ts'
import { StageBadge, useStageOf } from './stages-of-page.tsx'
import { focusActiveRow } from './use-rows.ts'

const valueOf = (prepared: Prepared<KnownDeal & { observed: Observed }>) => withObserved(prepared.value())

/** Shows a preview of a deal next to the list: next step, dates, people and open items. */
export function PeekPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const close = () => {
    onClose()
    focusActiveRow()
  }
  const query = trpc.deals.show.useQuery({ id }, { select: valueOf })
  const { data: deal, dataUpdatedAt: nowMs, error, refetch } = query
  return (
    <aside
      aria-label={deal === undefined ? 'Deal' : dealTitle(deal)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close()
      }}
      className="w-96 shrink-0 overflow-y-auto rounded-xl border border-line bg-surface max-xl:w-80 print:hidden"
    >
      <div className="flex items-start justify-between gap-3 px-4 pt-3 sm:px-5">
        <div className="min-w-0 pt-1 pb-3">
          {deal !== undefined && <Head deal={deal} />}
          {deal === undefined && error === null && <Loading />}
        </div>
        <IconButton
          icon={X}
          label="Close"
          title="Close (Esc)"
          onClick={close}
          className="-mr-2 size-8 touch shrink-0 rounded-lg"
        />
      </div>
      {error !== null && (
        <LoadFailure what="this deal" retry={() => void refetch()}>
          It may have been removed or moved to another partner.
        </LoadFailure>
      )}
      {deal !== undefined && <Body deal={deal} nowMs={nowMs} />}
    </aside>
  )
}

function Head({ deal }: { deal: KnownDeal }) {
  return (
    <>
      <h2 className="font-semibold wrap-anywhere">
        <Link href={`/deals/${deal.id}`} prefetch={false} className="rounded hover:underline">
          {dealTitle(deal)}
        </Link>
      </h2>
      <p className="text-ink-soft wrap-anywhere">{dealAddress(deal) || 'No address'}</p>
      <p className="mt-2">
        {deal.stage ? <StageBadge stage={deal.stage} /> : <span className="text-ink-soft">No stage</span>}
      </p>
    </>
  )
}

function Body({ deal, nowMs }: { deal: ObservedDeal; nowMs: number }) {
  const stage = useStageOf()(deal.stage)
  const zone = useZone()
  const timeline = timelineOf(deal, stage, nowMs, zone)
  const { hold: blocker = null, holder: responsible = null } = blockerOf(deal, stage, nowMs) ?? {}
  const { amount, systemSize } = deal
  return (
    <>
      <div className="border-t border-line">
        <WaitingLine stage={stage} blocker={blocker} timeline={timeline} nowMs={nowMs} />
        <ResponsibleLine deal={deal} responsible={responsible} />
      </div>
      <Part title="Deal">
        <DealFacts
          none="Nothing recorded."
          facts={[
            {
              label: 'In stage',
              value: (deal.timeInCurrentStage ?? deal.seenAt) && <InStage deal={deal} nowMs={nowMs} />,
            },
            { label: 'Amount', value: amount !== null && formatDollars(amount) },
            { label: 'System', value: sizeText(systemSize) },
          ]}
        />
      </Part>
      <Part title="Dates">
        <DealFacts
          none="No dates recorded."
          facts={timeline.map((step) => ({
            label: step.label,
            value: step.dates.length > 0 && <StepDates step={step} nowMs={nowMs} />,
          }))}
        />
      </Part>
      <Part title="People">
        <DealFacts
          none="No people recorded."
          facts={labelledRoleFields.map((role) => ({
            label: fieldLabels[role].label,
            value: nameOf(deal[role]),
          }))}
        />
      </Part>
    </>
  )
}

const nameOf = (person: Person | string | null) =>
  person === null || typeof person === 'string' ? person : personName(person)

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-t border-line px-4 py-3 sm:px-5">
      <h3 className="mb-2 text-xs font-medium text-ink-soft">{title}</h3>
      {children}
    </section>
  )
}
