import { useState } from 'react'
import { button } from '#app/ui/button-styles.ts'
import { formatCount } from '#app/ui/format.ts'
import { blockerLabels, gateLabels, responsibleLabels } from '#server/deals/milestones/labels.ts'
import type { HoldFigure, MoneyFigures } from '#server/insight/wire.ts'
import { CountedLine, PageSection } from '../home/section.tsx'

const firstShown = 6

/** Lists the roles that may be responsible, such as `Lender or interconnection coordinator`. */
const holdersText = ({ holders }: HoldFigure) =>
  holders
    .map((role, index) => (index === 0 ? responsibleLabels[role] : responsibleLabels[role].toLowerCase()))
    .join(' or ')

/** Shows what blocks the most money, and the responsible roles. */
export function Holds({ holds }: Pick<MoneyFigures, 'holds'>) {
  const [isWhole, setWhole] = useState(false)
  const byAmount = holds.toSorted((a, b) => b.amount - a.amount)
  const hasMore = !isWhole && byAmount.length > firstShown
  return (
    <PageSection title="What’s holding it up">
      {byAmount.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">No open deals.</p>
      ) : (
        <ul>
          {byAmount.map((figure, index) => (
            <li
              key={`${figure.gate} ${figure.name}`}
              className={hasMore && index >= firstShown ? 'hidden print:block' : ''}
            >
              <CountedLine
                title={blockerLabels[figure.name]}
                hint={[gateLabels[figure.gate], holdersText(figure)].filter(Boolean).join(' · ')}
                counted={figure}
              />
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <p className="print:hidden border-t border-line px-4 py-3 sm:px-5">
          <button type="button" className={button.plain} onClick={() => setWhole(true)}>
            Show all {formatCount(byAmount.length)}
          </button>
        </p>
      )}
    </PageSection>
  )
}
