'use client'

import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import type { KnownDeal } from '#server/deals/deal.ts'
import type { Stage } from '#server/stages/stage.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { dealAddress, dealTitle } from '../deal-name.ts'
import { fieldLabels } from '../field-labels.ts'
import { stageLooks } from '../stage-looks.ts'
import { alarming } from './flags.tsx'

/** Shows the deal's name, address, stage and alarming flags. */
export function DealIdentity({ deal, stage }: { deal: KnownDeal; stage: Stage }) {
  return (
    <div className="min-w-0 max-w-full">
      <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{dealTitle(deal)}</h1>
      <PartnerName id={String(deal.id)} />
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

/** Names the partner of the deal to those who see all partners. */
function PartnerName({ id }: { id: string }) {
  const { seesAllPartners } = useViewer()
  const { data } = trpc.deals.partner.useQuery({ id }, { enabled: seesAllPartners })
  if (!seesAllPartners || data === undefined) return null
  return <p className="mt-0.5 font-medium wrap-anywhere">{data ?? 'No partner'}</p>
}
