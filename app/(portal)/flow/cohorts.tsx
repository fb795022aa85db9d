import { formatCount } from '#app/ui/format.ts'
import type { FlowFigures } from '#server/insight/flow/wire.ts'
import { reachLabel } from '../deals/flow-labels.ts'
import { OverviewSection } from '../overview/section.tsx'
import { DealsLink } from './deals-link.tsx'
import { shareText } from './labels.ts'

const cell = 'py-1.5 pl-3'

/** Shows how many deals created in the period have come as far as each step. */
export function Cohorts({ figures: { cohorts } }: { figures: FlowFigures }) {
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
            {cohorts.map(({ reach, count, open, lost, filter, openFilter }, index) => (
              <tr key={reach} className="border-t border-line">
                <th scope="row" className="py-1.5 text-left font-medium">
                  {reachLabel(reach)}
                </th>
                <td className={cell}>
                  <DealsLink count={count} filter={filter}>
                    {formatCount(count)}
                  </DealsLink>
                </td>
                <td className={cell}>{shareText(count, all)}</td>
                <td className={cell}>{index === 0 ? '' : shareText(count, cohorts[index - 1]!.count)}</td>
                <td className={cell}>
                  <DealsLink count={open} filter={openFilter}>
                    {formatCount(open)}
                  </DealsLink>
                </td>
                <td className={`${cell} text-ink-soft`}>{formatCount(lost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-auto border-t border-line px-4 py-3 text-pretty text-ink-soft sm:px-5">
        Deals created in the period that have completed this step or a later one. Open and lost deals got no
        further.
      </p>
    </OverviewSection>
  )
}
