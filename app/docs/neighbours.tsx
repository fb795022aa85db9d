'use client'

import { ArrowLeft, ArrowRight } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { Link } from '#app/ui/link.tsx'
import { type Guide, neighbours } from './guides.ts'

/** Shows the way to the pages before and after this one. */
export function Neighbours() {
  const { previous, next } = neighbours(usePathname())
  return (
    <nav
      aria-label="Previous and next page"
      className="mt-12 flex flex-wrap justify-between gap-3 border-t border-line pt-6"
    >
      {previous !== undefined && <Neighbour entry={previous} relation="Previous" />}
      {next !== undefined && <Neighbour entry={next} relation="Next" />}
    </nav>
  )
}

function Neighbour({ entry: { href, title }, relation }: { entry: Guide; relation: 'Previous' | 'Next' }) {
  const isNext = relation === 'Next'
  return (
    <Link
      href={href}
      rel={isNext ? 'next' : 'prev'}
      className={`rounded-xl border border-line bg-surface px-4 py-3 hover:bg-sunken ${isNext ? 'ml-auto text-right' : ''}`}
    >
      <span className={`flex items-center gap-1.5 text-xs text-ink-soft ${isNext ? 'justify-end' : ''}`}>
        {!isNext && <ArrowLeft aria-hidden="true" className="size-3.5" />}
        {relation}
        {isNext && <ArrowRight aria-hidden="true" className="size-3.5" />}
      </span>
      <span className="mt-0.5 block font-medium">{title}</span>
    </Link>
  )
}
