'use client'

import { trpc } from '#app/trpc.ts'
import type { KnownDeal } from '#server/deals/deal.ts'
import type { Holder } from '#server/deals/milestones/money.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { AssignButton } from '../assign-button.tsx'
import { fieldLabels } from '../field-labels.ts'
import { AskLink } from './contact-links.tsx'
import { personName } from './field-text.ts'
import { alarming } from './flags.tsx'
import { responsibleFor } from './responsible.ts'

/** Shows who is responsible for the deal and its open tasks. */
export function ResponsibleLine({
  deal,
  holder,
  isNarrow = false,
}: {
  deal: KnownDeal
  holder: Holder | null
  /** Whether everything is left-aligned. */
  isNarrow?: boolean
}) {
  const { role, person } = responsibleFor(deal, holder)
  const open = alarming.filter((flag) => deal[flag]).map((flag) => fieldLabels[flag].label)
  const { seesAllPartners } = useViewer()
  if (person === null && open.length === 0 && seesAllPartners) return null
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
      <AskLink deal={deal} holder={holder} className={isNarrow ? '' : 'ml-auto max-sm:ml-0'} />
      {!seesAllPartners && <Assignee id={String(deal.id)} />}
    </div>
  )
}

/** Shows the deal's assignee in the partner's team, and lets members change it. */
function Assignee({ id }: { id: string }) {
  const { data } = trpc.deals.assignee.useQuery({ id })
  if (data === undefined) return null
  return (
    <div className="flex min-w-0 items-center gap-2">
      <p className="min-w-0 wrap-anywhere">
        <span className="text-ink-soft">Assigned to: </span>
        <span className="font-medium">{data?.name ?? 'nobody'}</span>
      </p>
      <AssignButton ids={[id]} current={data?.userId ?? null} label={data === null ? 'Assign' : 'Reassign'} />
    </div>
  )
}
