import { ArrowLeft, ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import { type Entry, neighbours } from './guides.ts'

/** A page to be read: its title, what it says, and the way to the next. */
export function Guide({
  href,
  title,
  lead,
  children,
}: {
  href: string
  title: string
  lead: ReactNode
  children: ReactNode
}) {
  const { previous, next } = neighbours(href)
  return (
    <>
      <article className={prose}>
        <h1 className="text-2xl font-semibold tracking-tight text-balance">{title}</h1>
        <p className="text-lg/7 text-pretty text-ink-soft">{lead}</p>
        {children}
      </article>
      <nav
        aria-label="Previous and next page"
        className="mt-12 flex flex-wrap justify-between gap-3 border-t border-line pt-6"
      >
        {previous !== undefined && <Neighbour entry={previous} relation="Previous" />}
        {next !== undefined && <Neighbour entry={next} relation="Next" />}
      </nav>
    </>
  )
}

// How the plain elements of a guide look.
const prose = [
  'text-[0.9375rem]/7 [&_p]:mt-3 [&_p]:text-pretty',
  '[&_h2]:mt-10 [&_h2]:text-lg [&_h2]:font-semibold [&_h2]:tracking-tight',
  '[&_ul]:mt-3 [&_ul]:list-disc [&_ul]:space-y-1.5 [&_ul]:pl-5 [&_ol]:mt-3 [&_ol]:list-decimal [&_ol]:space-y-1.5 [&_ol]:pl-5',
  '[&_:is(p,li,dt)_code]:rounded [&_:is(p,li,dt)_code]:bg-sunken [&_:is(p,li,dt)_code]:px-1 [&_:is(p,li,dt)_code]:py-0.5 [&_code]:font-mono [&_code]:text-[0.875em] [&_code]:wrap-anywhere',
  '[&_:is(p,li,dt)_a]:font-medium [&_:is(p,li,dt)_a]:text-accent [&_:is(p,li,dt)_a]:underline [&_:is(p,li,dt)_a]:underline-offset-4',
].join(' ')

function Neighbour({ entry: { href, title }, relation }: { entry: Entry; relation: 'Previous' | 'Next' }) {
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
