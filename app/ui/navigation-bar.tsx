'use client'

import { useEffect, useTransition } from 'react'

let begin = (navigate: () => void) => navigate()

/** Opens a page by `navigate`; the bar shows that it has begun until the page is there. */
export const beginNavigation = (navigate: () => void) => begin(navigate)

/** Shows at the top of the window that another page is being loaded, unless it comes at once. */
export function NavigationBar() {
  const [isPending, startTransition] = useTransition()
  useEffect(() => {
    begin = startTransition
    return () => {
      begin = (navigate) => navigate()
    }
  }, [startTransition])
  if (!isPending) return null
  return (
    <div
      role="progressbar"
      aria-label="Loading page"
      className="pointer-events-none fixed inset-x-0 top-0 z-50 h-0.5 origin-left animate-advance bg-accent print:hidden"
    />
  )
}
