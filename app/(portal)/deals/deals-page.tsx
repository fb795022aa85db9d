'use client'

import { CloudOff, FileSearch, LogIn, Sun } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Notice } from '#app/ui/notice.tsx'
import { Pagination } from '#app/ui/pagination.tsx'
import { DealsSkeleton } from './deals-skeleton.tsx'
import { DealsTable } from './deals-table.tsx'
import { dealsHref, dealsInput, pageSize } from './paging.ts'

/** A page of the list of deals, whatever has become of reading it. */
export function DealsPage({ page }: { page: number }) {
  const { data, dataUpdatedAt, error, refetch } = trpc.deals.list.useQuery(dealsInput(page), { select: (prepared) => prepared.value() })
  return (
    <>
      <div className="mb-5 flex items-baseline gap-3">
        <h1 className="text-xl font-semibold tracking-tight">Deals</h1>
        {data !== undefined && data.count > 0 && <p className="text-ink-soft tabular-nums">{formatCountOf(data.count, 'deal')}</p>}
      </div>
      {data === undefined ? (
        error === null ? <DealsSkeleton rows={pageSize} /> : <Failure page={page} signedOut={error.data?.code === 'UNAUTHORIZED'} retry={refetch} />
      ) : data.count === 0 ? (
        <Card>
          <Notice icon={Sun} title="No deals yet">Your deals appear here as soon as the first one is with us, and stay up to date from then on.</Notice>
        </Card>
      ) : page > data.pages ? (
        <Card>
          <Notice icon={FileSearch} title={`There is no page ${formatCount(page)}`} action={<Link href={dealsHref(data.pages)} className={button.plain}>Go to the last page</Link>}>
            Your {formatCountOf(data.count, 'deal')} fill {formatCountOf(data.pages, 'page')}.
          </Notice>
        </Card>
      ) : (
        <>
          <DealsTable deals={data.deals ?? []} nowMs={dataUpdatedAt} />
          {data.pages > 1 && (
            <div className="mt-4 flex flex-wrap items-center justify-center gap-x-6 gap-y-3 sm:justify-between">
              <p className="text-ink-soft tabular-nums">{formatCount((page - 1) * pageSize + 1)}–{formatCount(Math.min(page * pageSize, data.count))} of {formatCount(data.count)}</p>
              <Pagination page={page} pages={data.pages} hrefOf={dealsHref} />
            </div>
          )}
        </>
      )}
    </>
  )
}

function Card({ children }: { children: ReactNode }) {
  return <div className="rounded-xl border border-line bg-surface">{children}</div>
}

function Failure({ page, signedOut, retry }: { page: number; signedOut: boolean; retry: () => void }) {
  if (signedOut) {
    const href = `/sign-in?${new URLSearchParams({ callbackUrl: dealsHref(page) })}`
    return <Card><Notice icon={LogIn} title="You are signed out" action={<a href={href} className={button.primary}>Sign in</a>}>Sign in again to see your deals.</Notice></Card>
  }
  return (
    <Card>
      <Notice
        icon={CloudOff}
        title="Your deals cannot be loaded right now"
        action={<button type="button" onClick={retry} className={button.primary}>Try again</button>}
      >
        Check your connection. If that is fine, it is us, and it should work again in a moment.
      </Notice>
    </Card>
  )
}
