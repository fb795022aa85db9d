'use client'

import dynamic from 'next/dynamic'
import type { KnownDeal } from '#server/deals/deal.ts'
import { heldOf } from '#server/deals/milestones/money.ts'
import type { Step } from '#server/deals/milestones/timeline.ts'
import type { Stage } from '#server/stages/stage.ts'
import { BackLink } from './back-link.tsx'
import { CopyButtons } from './copy-buttons.tsx'
import { DealFigures } from './deal-figures.tsx'
import { DealIdentity } from './deal-identity.tsx'
import { QuickContact } from './quick-contact.tsx'
import { ResponsibleLine } from './responsible-line.tsx'
import { WaitingLine } from './waiting-line.tsx'

// The browser alone knows the list that the deal was opened from.
const ListNeighbours = dynamic(
  () => import('./list-neighbours.tsx').then((module) => module.ListNeighbours),
  { ssr: false },
)

const FollowButton = dynamic(() => import('./follow-button.tsx').then((module) => module.FollowButton), {
  ssr: false,
})

/** Shows the deal's name, stage, figures and what it is waiting for. */
export function DealHead({
  id,
  deal,
  stage,
  timeline,
  nowMs,
}: {
  id: string
  deal: KnownDeal
  stage: Stage
  timeline: Step[]
  nowMs: number
}) {
  const { hold = null, holder = null } = heldOf(deal, stage, nowMs) ?? {}
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
        <CopyButtons id={id} />
        <QuickContact deal={deal} holder={holder} />
      </div>
      <div className="overflow-clip rounded-xl border border-line bg-surface">
        <WaitingLine stage={stage} hold={hold} timeline={timeline} nowMs={nowMs} />
        <ResponsibleLine deal={deal} holder={holder} />
        <DealFigures deal={deal} timeline={timeline} nowMs={nowMs} />
      </div>
    </header>
  )
}
