'use client'

import { Coins } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { formatSum, formatCountOf, formatDollars } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld, useFormat } from '#app/ui/times.tsx'
import { blockerText, gateLabels, responsibleLabels } from '#server/deals/milestones/labels.ts'
import type { Gate } from '#server/deals/milestones/money.ts'
import type { GateFigure, MoneyFigures } from '#server/insight/money/wire.ts'
import type { FoundRow } from '#server/search/router.ts'
import { dealTitle } from '../deals/deal-name.ts'
import { listHref } from '../home/list-href.ts'
import { AsideLink, DealsLink, Fold, LeftOut } from '../home/section.tsx'
import { Expected, NextPayments } from './expected.tsx'
import { Holds } from './holds.tsx'
import { gateTexts } from './labels.ts'
import { byAmount, largestInput, namedDeals } from './named-deals.ts'

/** Shows the dollars at each gate, what holds them, and what is expected. */
export function MoneyPage() {
  const query = trpc.insight.money.useQuery(undefined, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <PageHead
        title="Money"
        about={
          <>
            When you’re paid, and where each deal is. Dollars are contract amounts of deals, not payments.{' '}
            <AsOf asOf={data?.asOf ?? null} nowMs={nowMs} />
          </>
        }
      />
      <QueryState what="money" query={query} data={data}>
        {({ gates, holds, expected, notExpected, unpriced, usual }) =>
          gates.every(({ count }) => count === 0) ? (
            <div className="rounded-xl border border-line bg-surface">
              <Notice icon={Coins} title="No deals yet">
                This page shows what is installed, submitted and paid once you have deals.
              </Notice>
            </div>
          ) : (
            <div className="flex flex-col gap-5">
              <NextPayments expected={expected} notExpected={notExpected} />
              <Gates gates={gates} />
              <LeftOut
                of="in dollars"
                parts={[{ ...unpriced, what: 'without an amount' }]}
                className="px-1"
              />
              <Fold title="Expected by step">
                <Expected expected={expected} notExpected={notExpected} usual={usual} />
              </Fold>
              <Holds holds={holds} />
              <NamedDeals expected={expected} nowMs={nowMs} />
            </div>
          )
        }
      </QueryState>
    </>
  )
}

/** The pipeline from left to right. */
const pipeline = ['m1', 'install', 'submit', 'approve', 'pay', 'unknown', 'paid'] as const

/** Shows the deals at each gate, and those that have been there for long. */
function Gates({ gates }: Pick<MoneyFigures, 'gates'>) {
  const gateOf = (name: Gate) => gates.find((gate) => gate.name === name)!
  const hasUnknown = gateOf('unknown').count > 0
  const shown = pipeline.filter((name) => name !== 'unknown' || hasUnknown)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-4">
      {shown.map((name) => (
        <GateCard key={name} gate={gateOf(name)} hasUnknown={hasUnknown} />
      ))}
    </div>
  )
}

function GateCard({
  gate: { name, count, amount, filter, sort, ages },
  hasUnknown,
}: {
  gate: GateFigure
  /** Whether more deals may be at this gate. */
  hasUnknown: boolean
}) {
  const definition = gateTexts[name]
  const oldest = ages.find((age) => age.name === 'over-60')!
  const id = `gate-${name}`
  return (
    <section aria-labelledby={id} className="flex flex-col rounded-xl border border-line bg-surface">
      <div className="px-4 pt-4 pb-3 sm:px-5">
        <h2 id={id} className="font-semibold">
          {gateLabels[name]}
        </h2>
        <p className="mt-2 flex tabular-nums">
          <Link
            href={listHref(filter, sort)}
            prefetch={false}
            title={formatSum({ count, amount }, formatDollars)}
            className="group flex flex-wrap items-baseline gap-x-2 rounded"
          >
            <span className="text-2xl font-semibold tracking-tight group-hover:underline">
              {count === 0 && hasUnknown ? '–' : formatSum({ count, amount })}
            </span>
            <span className="text-ink-soft group-hover:underline">
              {count === 0 && hasUnknown ? 'None known' : formatCountOf(count, 'deal')}
            </span>
          </Link>
        </p>
        <p className="mt-1 text-pretty text-ink-soft">{definition}</p>
        {/* Past payments are not late. */}
        {name !== 'paid' && oldest.count > 0 && (
          <p className="mt-1">
            <DealsLink {...oldest}>{formatCountOf(oldest.count, 'deal')} for over 60 days</DealsLink>
          </p>
        )}
      </div>
    </section>
  )
}

/** Shows the largest deals with an overdue payment, or that are built and not paid, and who has them. */
function NamedDeals({ expected, nowMs }: Pick<MoneyFigures, 'expected'> & { nowMs: number }) {
  const { title, filter } = namedDeals(expected)
  const query = trpc.deals.find.useQuery(largestInput(filter), {
    select: (prepared): FoundRow[] => prepared.value().deals,
  })
  return (
    <section aria-labelledby="named-deals" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-4">
        <h2 id="named-deals" className="font-semibold">
          {title}
        </h2>
        <p className="ml-auto">
          <AsideLink href={listHref(filter, byAmount)}>View all</AsideLink>
        </p>
      </div>
      <QueryState what="deals" query={query} data={query.data}>
        {(deals) =>
          deals.length === 0 ? (
            <p className="rounded-xl border border-line bg-surface px-6 py-10 text-center text-ink-soft">
              No installed deals are waiting to be paid.
            </p>
          ) : (
            <Table title={title} deals={deals} nowMs={nowMs} />
          )
        }
      </QueryState>
    </section>
  )
}

function Table({ title, deals, nowMs }: { title: string; deals: FoundRow[]; nowMs: number }) {
  const { formatDuration, formatInstant } = useFormat()
  const columns: ListColumn<FoundRow>[] = [
    {
      title: 'Deal',
      cell: (deal) => (
        <Link href={`/deals/${deal.id}`} prefetch={false} className="rounded hover:underline">
          {dealTitle(deal)}
        </Link>
      ),
    },
    { title: 'Money', cell: ({ held }) => (held ? gateLabels[held.gate] : '–') },
    {
      title: 'Since',
      cell({ held, installComplete, fundingSubmitted }) {
        const since = held?.gate === 'submit' ? installComplete : fundingSubmitted
        if (since == null) return <span className="text-ink-soft">–</span>
        return (
          <time dateTime={since} title={formatInstant(since)}>
            {formatDuration(since, nowMs)}
          </time>
        )
      },
    },
    { title: 'Waiting on', cell: ({ held }) => blockerText(held) || '–' },
    {
      title: 'Who has it',
      cell: ({ held }) =>
        held?.holder ? (
          <>
            {held.name !== null && <span className="block">{held.name}</span>}
            <span className="block text-ink-soft">{responsibleLabels[held.holder]}</span>
          </>
        ) : (
          '–'
        ),
    },
    { title: 'Amount', isNumber: true, cell: ({ amount }) => (amount == null ? '–' : formatDollars(amount)) },
  ]
  return <ListTable label={title} columns={columns} rows={deals} keyOf={({ id }) => String(id)} />
}
