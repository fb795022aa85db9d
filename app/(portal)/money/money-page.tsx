'use client'

import { Coins } from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { AsOf, refetchOld } from '#app/ui/times.tsx'
import { LeftOut } from '../overview/left-out.tsx'
import { Expected } from './expected.tsx'
import { Gates } from './gates.tsx'
import { HeldDeals } from './held-deals.tsx'
import { Holds } from './holds.tsx'

/** Shows where the money of the deals is, what holds it, and what is expected. */
export function MoneyPage() {
  const query = trpc.insight.money.useQuery(undefined, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <PageHead
        title="Money"
        about={
          <>
            What is installed, what is submitted, and what is expected next. Dollars are contract amounts of
            deals, not payments. <AsOf asOf={data?.asOf ?? null} nowMs={nowMs} />
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
              <Gates gates={gates} />
              <LeftOut
                of="in dollars"
                parts={[{ ...unpriced, what: 'without an amount' }]}
                className="px-1"
              />
              <Expected expected={expected} notExpected={notExpected} usual={usual} />
              <Holds holds={holds} />
              <HeldDeals nowMs={nowMs} />
            </div>
          )
        }
      </QueryState>
    </>
  )
}
