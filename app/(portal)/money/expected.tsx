import type { ReactNode } from 'react'
import { formatCountOf, formatSum } from '#app/ui/format.ts'
import { periodLabels } from '#server/insight/expectation.ts'
import type { MoneyFigures, NotExpected } from '#server/insight/wire.ts'
import { DealsLink, LeftOut, PageSection } from '../home/section.tsx'
import { useViewer } from '../viewer-of-page.tsx'

const paymentPeriods = ['thisWeek', 'nextWeek', 'laterThisMonth', 'overdue'] as const

/** Reasons why no payment is expected. */
const notExpectedTexts: Record<NotExpected, string> = {
  m1: 'without a date for M1',
  install: 'without a date for install',
  submission: 'without a date for funding submission',
  payment: 'without a date for payment',
  unknown: 'whose current step is not known',
  onHold: 'on hold',
}

/** Shows the total of payments expected in the coming weeks. `children` are placed opposite the title. */
export function NextPayments({
  expected,
  notExpected,
  children,
}: Pick<MoneyFigures, 'expected' | 'notExpected'> & { children?: ReactNode }) {
  const { seesAllPartners } = useViewer()
  const payments = expected.filter(({ name }) => name === 'payment')
  const figures = paymentPeriods.flatMap(
    (period) => payments.find((figure) => figure.period === period) ?? [],
  )
  const missing = notExpected
    .filter(({ name }) => name === 'payment' || name === 'unknown')
    .map(({ name, ...rest }) => ({ ...rest, what: notExpectedTexts[name] }))
  const isUnknown = missing.length > 0
  return (
    <PageSection title="Expected payments" aside={children}>
      {figures.length === 0 ? (
        <p className="px-4 pb-4 text-pretty text-ink-soft sm:px-5">
          {seesAllPartners
            ? 'Payments are estimated from the usual times of each partner. Select a partner to see them.'
            : 'We can’t estimate payments yet. That takes at least five paid deals with a funding submission date.'}
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
      <LeftOut className="px-4 pb-3 sm:px-5" parts={missing} />
    </PageSection>
  )
}
