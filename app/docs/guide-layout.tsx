import type { ReactNode } from 'react'
import { Navigation, Neighbours } from './navigation.tsx'

/** Shows a guide with links to the other guides beside it. */
export function GuideLayout({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-6xl gap-12 px-4 sm:px-6">
      <div className="sticky top-14 h-fit w-52 shrink-0 py-8 max-lg:hidden">
        <Navigation />
      </div>
      <main id="content" tabIndex={-1} className="w-full max-w-3xl min-w-0 py-8 outline-none sm:py-10">
        <article className={prose}>{children}</article>
        <Neighbours />
      </main>
    </div>
  )
}

// Styles of plain HTML elements in guides. In narrow windows, table cells are stacked.
const prose = [
  'text-[0.9375rem]/7 [&_p]:mt-3 [&_p]:text-pretty',
  '[&_h1]:text-2xl [&_h1]:font-semibold [&_h1]:tracking-tight [&_h1]:text-balance',
  '[&_h1+p]:text-lg/7 [&_h1+p]:text-ink-soft',
  '[&_h2]:mt-10 [&_h2]:scroll-mt-20 [&_h2]:text-lg [&_h2]:font-semibold [&_h2]:tracking-tight',
  '[&_h3]:mt-8 [&_h3]:scroll-mt-20 [&_h3]:font-semibold',
  '[&_ul]:mt-3 [&_ul]:list-disc [&_ul]:space-y-1.5 [&_ul]:pl-5 [&_ol]:mt-3 [&_ol]:list-decimal [&_ol]:space-y-1.5 [&_ol]:pl-5',
  '[&_:is(p,li,dt,td)_code]:rounded [&_:is(p,li,dt,td)_code]:bg-sunken [&_:is(p,li,dt,td)_code]:px-1 [&_:is(p,li,dt,td)_code]:py-0.5 [&_code]:font-mono [&_code]:text-[0.875em] [&_code]:wrap-anywhere',
  '[&_:is(p,li,dt,td)_a]:font-medium [&_:is(p,li,dt,td)_a]:text-accent [&_:is(p,li,dt,td)_a]:underline [&_:is(p,li,dt,td)_a]:underline-offset-4',
  '[&_table]:my-5 [&_table]:w-full [&_table]:border-b [&_table]:border-line [&_table]:text-sm/6 max-sm:[&_:is(table,tbody,tr,td)]:block max-sm:[&_thead]:sr-only',
  '[&_th]:py-2 [&_th]:pr-6 [&_th]:text-left [&_th]:font-medium [&_th]:text-ink-soft [&_th]:first-letter:uppercase sm:[&_td:first-child_code]:whitespace-nowrap sm:[&_td:last-child_code]:wrap-break-word',
  '[&_tbody_tr]:border-t [&_tbody_tr]:border-line max-sm:[&_tbody_tr]:py-2 sm:[&_td]:py-2 sm:[&_td]:pr-6 [&_td]:align-top [&_td:first-child]:font-medium [&_td:not(:first-child)]:text-ink-soft sm:[&_td:last-child]:pr-0',
].join(' ')
