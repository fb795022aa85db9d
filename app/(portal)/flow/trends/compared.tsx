import type { Trends } from '#server/insight/trends/wire.ts'
import { trendFields } from '#server/insight/trends/wire.ts'
import { DealsLink } from '../deals-link.tsx'
import { changeInPercent, measureText, numberOf, spreadText, trendSeries } from './labels.ts'
import type { Measure } from './query.ts'

/** Shows the figures of a period beside the previous period. */
export function Compared({ trends: { now, previous, days }, measure }: { trends: Trends; measure: Measure }) {
  return (
    <ul className="grid grid-cols-2 gap-px overflow-clip rounded-xl border border-line bg-line sm:grid-cols-4">
      {trendSeries.map(({ name, label }) => {
        const [value, before] = [numberOf(now[name], measure), numberOf(previous[name], measure)]
        const dates = (span: typeof days.now) => ({ dates: { [trendFields[name]]: span } })
        return (
          <li key={name} className="bg-surface px-4 py-4 tabular-nums sm:px-5">
            <p className="text-ink-soft">{label}</p>
            <p className="mt-1 text-2xl font-semibold tracking-tight">
              <DealsLink count={now[name].count} filter={dates(days.now)}>
                {measureText(value, measure, true)}
              </DealsLink>
            </p>
            {measure === 'price' && <p className="text-ink-soft">{spreadText(now[name])}</p>}
            <p className="text-ink-soft">
              <span className="font-medium text-ink">{changeInPercent(value, before)}</span> from{' '}
              <DealsLink count={previous[name].count} filter={dates(days.previous)}>
                {measureText(before, measure, true)}
              </DealsLink>
            </p>
          </li>
        )
      })}
    </ul>
  )
}
