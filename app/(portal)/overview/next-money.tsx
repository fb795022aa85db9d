'use client'

import { trpc } from '#app/trpc.ts'
import { formatCountOf, formatDollarsShort } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import { periodLabels } from '#server/insight/money/labels.ts'
import type { ExpectedFigure } from '#server/insight/money/wire.ts'
import { notExpectedParts } from '../money/labels.ts'
import { LeftOut } from './left-out.tsx'
import { listHref } from './list-href.ts'
import { AsideLink } from './section.tsx'

const nouns: Partial<Record<ExpectedFigure['name'], string>> = {
  install: 'install',
  submission: 'funding submission',
  payment: 'payment',
}

const shown = ['thisWeek', 'nextWeek'] as const

/** Shows what is expected this week and next, and leads to the page of money. */
export function NextMoney() {
  const { data } = trpc.insight.money.useQuery(undefined, { refetchInterval: refetchOld })
  if (data === undefined) return null
  const next = data.expected.filter(({ name, count }) => count > 0 && nouns[name] !== undefined)
  return (
    <section aria-label="Expected" className="relative mt-3 flex flex-col gap-1 px-4 tabular-nums sm:px-5">
      {shown.map((period, index) => (
        <div
          key={period}
          className="flex flex-wrap items-baseline gap-x-5 gap-y-1 max-sm:flex-col max-sm:not-first:mt-2"
        >
          <h2 className="w-20 font-semibold">{periodLabels[period]}</h2>
          <Figures figures={next.filter((each) => each.period === period)} />
          {index === 0 && (
            <span className="ml-auto max-sm:absolute max-sm:right-4">
              <AsideLink href="/money">View money</AsideLink>
            </span>
          )}
        </div>
      ))}
      <LeftOut
        parts={notExpectedParts({ notExpected: data.notExpected.filter(({ name }) => name !== 'm1') })}
      />
      <p className="text-ink-soft">Contract amounts of deals, not payments.</p>
    </section>
  )
}

function Figures({ figures }: { figures: ExpectedFigure[] }) {
  if (figures.length === 0) return <p className="text-ink-soft">No expected dates</p>
  return figures.map(({ name, certainty, count, amount, filter, sort }) => (
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
  ))
}
