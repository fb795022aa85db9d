import { formatCount } from '#app/ui/format.ts'
import { reachLabels } from '#server/deals/milestones/labels.ts'
import type { CohortFigure, FlowFigures } from '#server/insight/flow/wire.ts'
import { LeftOut } from '../overview/left-out.tsx'
import { OverviewSection } from '../overview/section.tsx'
import { DealsLink } from './deals-link.tsx'
import { conversionLeftOut, shareText } from './labels.ts'

/** Shows how many deals created in the period have reached each step. */
export function Cohorts({ figures: { cohorts, leftOut } }: { figures: FlowFigures }) {
  const all = cohorts[0]!.count
  return (
    <OverviewSection title="Conversion">
      <div className="overflow-x-auto px-4 pb-3 sm:px-5">
        <table className="w-full text-right tabular-nums">
          <thead className="text-xs text-ink-soft">
            <tr>
              {['Step', 'Deals', '% of created', '% of previous', 'Open', 'Lost'].map((title, index) => (
                <th
                  key={title}
                  scope="col"
                  className={`py-1.5 font-medium ${index === 0 ? 'text-left' : 'pl-3'}`}
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map((figure, index) => (
              <CohortRow
                key={figure.reach}
                figure={figure}
                all={all}
                previous={cohorts[index - 1]?.count ?? null}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-auto border-t border-line px-4 py-3 text-pretty text-ink-soft sm:px-5">
        Deals created in the period that have completed this step or a later one. For open and lost deals it
        is the last one on record.
      </p>
      <LeftOut className="px-4 pb-3 sm:px-5" parts={conversionLeftOut(leftOut)} />
    </OverviewSection>
  )
}

function CohortRow({
  figure: { reach, count, open, lost, filter, openFilter, lostFilter },
  all,
  previous,
}: {
  figure: CohortFigure
  /** The number of deals created. */
  all: number
  /** The number of deals that came to the step before; null for the first one. */
  previous: number | null
}) {
  const cells = [
    { count, filter, text: formatCount(count) },
    { count, filter, text: shareText(count, all) },
    { count, filter, text: previous === null ? '' : shareText(count, previous) },
    { count: open, filter: openFilter, text: formatCount(open) },
    { count: lost, filter: lostFilter, text: formatCount(lost) },
  ]
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1.5 text-left font-medium">
        {reachLabels[reach]}
      </th>
      {cells.map((cell, index) => (
        <td key={index} className="py-1.5 pl-3">
          {cell.text !== '' && (
            <DealsLink count={cell.count} filter={cell.filter}>
              {cell.text}
            </DealsLink>
          )}
        </td>
      ))}
    </tr>
  )
}
