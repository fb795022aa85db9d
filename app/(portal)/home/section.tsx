'use client'

import { type ReactNode, useId } from 'react'
import { formatCountOf, formatSum, formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { periodLabels } from '#server/insight/expectation.ts'
import type { MoneyFigures, NotExpected, Counted } from '#server/insight/wire.ts'
import type { DealSort, DealFilter } from '#server/search/wire.ts'
import { listHref } from '../deals/list-href.ts'

/** A section of a page. `aside` is placed opposite the title. */
export function PageSection({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col rounded-xl border border-line bg-surface">
      <div className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside !== undefined && <div className="ml-auto text-ink-soft has-[select]:text-ink">{aside}</div>}
      </div>
      {children}
    </section>
  )
}

/** A link to a list, placed opposite a section's title. */
export function AsideLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="rounded font-medium text-accent hover:underline">
      {children}
    </Link>
  )
}

/** Style of a line that is a link. */
export const lineLink =
  'flex items-center gap-3 border-t border-line px-4 py-2.5 hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5'

/** Links to the deals that are missing from the figures, by reason. */
export function LeftOut({
  parts,
  of = '',
  className = '',
}: {
  parts: { count: number; filter: DealFilter; what: string }[]
  /** Which figures are incomplete, such as `in dollars`. Omitted if all figures are. */
  of?: string
  className?: string
}) {
  const visible = parts.filter(({ count }) => count > 0)
  if (visible.length === 0) return null
  return (
    <p className={`text-pretty text-ink-soft ${className}`}>
      Not included{of && ` ${of}`}:{' '}
      {visible.map(({ count, filter, what }, index) => (
        <span key={what}>
          {index > 0 && ' · '}
          <Link href={listHref(filter)} prefetch={false} className="rounded underline">
            {formatCountOf(count, 'deal')} {what}
          </Link>
        </span>
      ))}
    </p>
  )
}

/** A line with the number and total amount of deals, linked to exactly these deals. */
export function CountedLine({
  title,
  hint,
  counted: { count, amount, filter, sort },
}: {
  title: string
  hint: string
  counted: Omit<Counted<string>, 'name'>
}) {
  return (
    <Link href={listHref(filter, sort)} prefetch={false} className={`${lineLink} h-full`}>
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{title}</span>
        <span className="block text-pretty text-ink-soft">{hint}</span>
      </span>
      <span className="text-right tabular-nums">
        <span className="block text-base font-semibold">
          {formatCount(count)}
          <span className="sr-only">{count === 1 ? ' deal' : ' deals'}</span>
        </span>
        <span className="block text-ink-soft">{formatSum({ count, amount })}</span>
      </span>
    </Link>
  )
}

/** A figure (by default the count) that links to its deals if there are any. */
export function DealsLink({
  count,
  filter,
  sort = null,
  children = formatCount(count),
}: {
  count: number
  filter: DealFilter
  sort?: DealSort | null
  children?: ReactNode
}) {
  if (count === 0) return <span className="text-ink-soft">{children}</span>
  return (
    <Link
      href={listHref(filter, sort)}
      prefetch={false}
      className="touch-number rounded font-medium hover:underline"
    >
      {children}
    </Link>
  )
}

const paymentPeriods = ['thisWeek', 'nextWeek', 'laterThisMonth', 'overdue'] as const

const notExpectedTexts: Record<NotExpected, string> = {
  m1: 'without a date for M1',
  install: 'without a date for install',
  submission: 'without a date for funding submission',
  payment: 'without a date for payment',
  unknown: 'in an unknown step',
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
