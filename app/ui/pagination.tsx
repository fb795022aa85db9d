'use client'

import { ChevronLeft, ChevronRight, LoaderCircle } from 'lucide-react'
import Link, { useLinkStatus } from 'next/link'
import type { ReactNode } from 'react'
import { formatCount } from './format.ts'
import { pagesShown } from './pages-shown.ts'

const cell = 'relative grid h-9 min-w-9 place-items-center rounded-lg px-2 tabular-nums'

/** Links to the other pages of a list; `hrefOf` gives the address of one. */
export function Pagination({ page, pages, hrefOf }: { page: number; pages: number; hrefOf: (page: number) => string }) {
  return (
    <nav aria-label="Pages" className="flex items-center gap-1">
      <Step page={page - 1} pages={pages} hrefOf={hrefOf} rel="prev"><ChevronLeft aria-hidden="true" className="size-4" />Previous</Step>
      <span className="px-2 text-ink-soft tabular-nums sm:hidden">Page {formatCount(page)} of {formatCount(pages)}</span>
      <ol className="hidden items-center gap-1 sm:flex">
        {pagesShown(page, pages).map((number, index) => (
          <li key={number ?? `gap ${index}`}>
            {number === null ? <span className={`${cell} text-ink-soft`}>…</span>
              : number === page ? <span aria-current="page" className={`${cell} bg-accent font-semibold text-on-accent`}>{formatCount(number)}</span>
                : <Link href={hrefOf(number)} prefetch={false} aria-label={`Page ${formatCount(number)}`} className={`${cell} text-ink-soft hover:bg-sunken hover:text-ink`}>{formatCount(number)}<Pending /></Link>}
          </li>
        ))}
      </ol>
      <Step page={page + 1} pages={pages} hrefOf={hrefOf} rel="next">Next<ChevronRight aria-hidden="true" className="size-4" /></Step>
    </nav>
  )
}

function Step({ page, pages, hrefOf, rel, children }: {
  page: number
  pages: number
  hrefOf: (page: number) => string
  rel: 'prev' | 'next'
  children: ReactNode
}) {
  const look = 'relative inline-flex h-9 items-center gap-1 rounded-lg px-2.5 font-medium'
  if (page < 1 || page > pages) return <span aria-hidden="true" className={`${look} text-ink-soft opacity-50`}>{children}</span>
  return <Link href={hrefOf(page)} prefetch={false} rel={rel} className={`${look} hover:bg-sunken`}>{children}<Pending /></Link>
}

/** Covers the link that was followed while its page is on the way. */
function Pending() {
  const { pending } = useLinkStatus()
  return pending && <span className="absolute inset-0 grid place-items-center rounded-lg bg-sunken"><LoaderCircle aria-hidden="true" className="size-4 animate-spin" /></span>
}
