'use client'

import { trpc } from '#app/trpc.ts'
import { refetchOld } from '#app/ui/as-of.tsx'
import { formatCountOf, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import type { ExpectedFigure } from '#server/insight/money/wire.ts'
import { listHref } from './list-href.ts'
import { AsideLink } from './section.tsx'

const nouns: Partial<Record<ExpectedFigure['name'], string>> = {
  install: 'install',
  submission: 'funding submission',
  payment: 'payment',
}

/** Shows what is expected in the next two weeks, and leads to the page of money. */
export function NextMoney() {
  const { data } = trpc.insight.money.useQuery(undefined, { refetchInterval: refetchOld })
  if (data === undefined) return null
  const next = data.expected.filter(
    ({ name, period, count }) => period === 'next14Days' && count > 0 && nouns[name] !== undefined,
  )
  return (
    <section
      aria-label="Next 14 days"
      className="mt-3 flex flex-wrap items-baseline gap-x-5 gap-y-1 px-4 tabular-nums sm:px-5"
    >
      <h2 className="font-semibold">Next 14 days</h2>
      {next.length === 0 && <p className="text-ink-soft">Nothing expected.</p>}
      {next.map(({ name, certainty, count, amount, filter, sort }) => (
        <Link
          key={`${name} ${certainty}`}
          href={listHref(filter, sort)}
          prefetch={false}
          className="rounded hover:underline"
        >
          <span className="font-medium">{formatCountOf(count, nouns[name]!)}</span>{' '}
          <span className="text-ink-soft">
            {certainty === 'scheduled' ? 'scheduled' : 'expected'} · {formatDollarsShort(amount)}
          </span>
        </Link>
      ))}
      <span className="ml-auto">
        <AsideLink href="/money">View money</AsideLink>
      </span>
    </section>
  )
}
