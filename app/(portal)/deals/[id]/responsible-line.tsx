'use client'

import type { KnownDeal } from '#server/deals/deal.ts'
import type { Holder } from '#server/deals/milestones/money.ts'
import { fieldLabels } from '../field-labels.ts'
import { AskLink } from './contact-links.tsx'
import { personName } from './field-text.ts'
import { alarming } from './flags.tsx'
import { responsibleFor } from './responsible.ts'

/** Shows who is responsible for the deal and its open tasks. */
export function ResponsibleLine({ deal, holder }: { deal: KnownDeal; holder: Holder | null }) {
  const { role, person } = responsibleFor(deal, holder)
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
      <AskLink deal={deal} holder={holder} />
    </div>
  )
}
