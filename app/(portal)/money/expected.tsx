import type { CSSProperties, ReactNode } from 'react'
import { formatCount, formatCountOf, formatSum } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { periodLabels } from '#server/insight/money/labels.ts'
import type { ExpectedFigure, MoneyFigures } from '#server/insight/money/wire.ts'
import { listHref } from '../home/list-href.ts'
import { DealsLink, LeftOut, PageSection } from '../home/section.tsx'
import { expectedText, notExpectedParts } from './labels.ts'

/** In narrow windows, a row of the table is two lines: its subject and its figures. */
const line = 'max-sm:grid max-sm:grid-cols-[repeat(var(--periods),minmax(0,1fr))] max-sm:gap-x-1'

/** Shows what is expected, in which period, and with which certainty. */
export function Expected({
  expected,
  usual,
  notExpected,
}: Pick<MoneyFigures, 'expected' | 'usual' | 'notExpected'>) {
  const rows = [...Map.groupBy(expected, ({ name, certainty }) => `${name} ${certainty}`).entries()]
  const hasUsual = expected.some(({ name, certainty }) => certainty !== 'scheduled' && usual[name] !== null)
  return (
    <PageSection title="Expected">
      {/* Positioned: text for screen readers would widen the page otherwise. Explicit roles survive another
         `display`. */}
      <div className="relative overflow-x-auto px-4 pb-3 sm:px-5">
        <table
          role="table"
          style={{ '--periods': rows[0]?.[1].length ?? 1 } as CSSProperties}
          className="w-full text-right tabular-nums max-sm:block"
        >
          <thead role="rowgroup" className="text-xs text-ink-soft max-sm:block">
            <tr role="row" className={line}>
              <th role="columnheader" scope="col" className="py-1.5 text-left font-medium max-sm:sr-only">
                What
              </th>
              {rows[0]?.[1].map(({ period }) => (
                <th
                  key={period}
                  role="columnheader"
                  scope="col"
                  className="py-1.5 font-medium whitespace-nowrap sm:pl-3"
                >
                  {periodLabels[period]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup" className="max-sm:block">
            {rows.map(([key, figures]) => (
              <Row key={key} figures={figures} usual={usual} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-auto border-t border-line px-4 py-3 text-pretty text-ink-soft sm:px-5">
        Contract amounts of deals, not payments.
        {hasUsual && ' “Usually” is the median of the last 12 months.'} Each deal is counted on its expected
        day.
      </p>
      <LeftOut className="px-4 pb-3 sm:px-5" parts={notExpectedParts({ notExpected })} />
    </PageSection>
  )
}

function Row({ figures, usual }: { figures: ExpectedFigure[]; usual: MoneyFigures['usual'] }) {
  const { label, hint } = expectedText(figures[0]!, usual)
  return (
    <tr role="row" className={`border-t border-line align-top ${line}`}>
      <th
        role="rowheader"
        scope="row"
        className="py-2 text-left font-normal max-sm:col-span-full max-sm:pb-0"
      >
        <span className="block font-medium">{label}</span>
        <span className="block text-ink-soft">{hint}</span>
      </th>
      {figures.map(({ period, count, amount, filter, sort }) => (
        <td key={period} role="cell" className="py-2 sm:pl-3">
          {count === 0 ? (
            <span className="text-ink-soft">0</span>
          ) : (
            <Link href={listHref(filter, sort)} prefetch={false} className="group inline-block rounded">
              <span className="block font-medium group-hover:underline">
                {formatCount(count)}
                <span className="sr-only">{count === 1 ? ' deal' : ' deals'}</span>
              </span>
              <span className="block text-ink-soft max-sm:text-xs">{formatSum({ count, amount })}</span>
            </Link>
          )}
        </td>
      ))}
    </tr>
  )
}

const paymentPeriods = ['thisWeek', 'nextWeek', 'laterThisMonth', 'overdue'] as const

/** Shows the dollars of the payments expected in the next weeks; `children` are opposite the title. */
export function NextPayments({
  expected,
  notExpected,
  children,
}: Pick<MoneyFigures, 'expected' | 'notExpected'> & { children?: ReactNode }) {
  const payments = expected.filter(({ name }) => name === 'payment')
  const figures = paymentPeriods.flatMap(
    (period) => payments.find((figure) => figure.period === period) ?? [],
  )
  const missing = notExpected.filter(({ name }) => name === 'payment' || name === 'unknown')
  const isUnknown = missing.length > 0
  return (
    <PageSection title="Expected payments" aside={children}>
      {figures.length === 0 ? (
        <p className="px-4 pb-4 text-pretty text-ink-soft sm:px-5">
          We can’t estimate payments yet. That takes at least five paid deals with a funding submission date.
        </p>
      ) : (
        <ul className="flex flex-wrap gap-x-10 gap-y-3 px-4 pb-4 sm:px-5">
          {figures.map((figure) => (
            <li key={figure.period}>
              <span className="block text-ink-soft">{periodLabels[figure.period]}</span>
              <DealsLink {...figure}>
                <span className="mr-2 text-2xl font-semibold tracking-tight tabular-nums">
                  {figure.count === 0 && isUnknown ? '–' : formatSum(figure)}
                </span>
                <span className="text-ink-soft">
                  {figure.count === 0 && isUnknown ? 'None known' : formatCountOf(figure.count, 'deal')}
                </span>
              </DealsLink>
            </li>
          ))}
        </ul>
      )}
      <LeftOut className="px-4 pb-3 sm:px-5" parts={notExpectedParts({ notExpected: missing })} />
    </PageSection>
  )
}
