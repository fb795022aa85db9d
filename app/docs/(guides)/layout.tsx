import type { ReactNode } from 'react'
import { Navigation } from '../navigation.tsx'

/** A guide with the way to the others beside it. */
export default function GuidesLayout({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-6xl gap-12 px-4 sm:px-6">
      <div className="sticky top-14 h-fit w-52 shrink-0 py-8 max-lg:hidden">
        <Navigation />
      </div>
      <main id="content" tabIndex={-1} className="w-full max-w-3xl min-w-0 py-8 outline-none sm:py-10">
        {children}
      </main>
    </div>
  )
}
