import type { MoneyFigures } from '#server/insight/money/wire.ts'
import { gateLabels, holdLabels, holderLabels } from '../deals/money-labels.ts'
import { CountedLine } from '../overview/counted-line.tsx'
import { OverviewSection } from '../overview/section.tsx'

const shownMax = 10

/** Shows what holds the most money, and which role has it. */
export function Holds({ holds }: Pick<MoneyFigures, 'holds'>) {
  const most = holds.toSorted((a, b) => b.amount - a.amount).slice(0, shownMax)
  return (
    <OverviewSection title="What holds it">
      {most.length === 0 ? (
        <p className="m-auto px-6 pt-6 pb-12 text-center text-ink-soft">No open deals.</p>
      ) : (
        <ul>
          {most.map((figure) => (
            <li key={`${figure.gate} ${figure.name}`}>
              <CountedLine
                title={holdLabels[figure.name]}
                hint={`${gateLabels[figure.gate]} · ${holderLabels[figure.holder]}`}
                counted={figure}
              />
            </li>
          ))}
        </ul>
      )}
    </OverviewSection>
  )
}
