'use client'

import { ArrowLeft } from 'lucide-react'
import type { MouseEvent } from 'react'
import { Link, useRouter } from '#app/ui/link.tsx'
import { lastList } from './last-list.ts'

/** Leads back to the list that the deal was opened from. */
export function BackLink() {
  const router = useRouter()
  function goBack(event: MouseEvent) {
    const list = lastList()
    if (list === null || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    // Going back in the history keeps the position in the list.
    if (list.isPrevious) router.back()
    else router.push(list.path)
  }
  return (
    <Link
      href="/deals"
      onClick={goBack}
      className="-ml-1.5 inline-flex items-center gap-1.5 rounded-lg px-1.5 py-1 text-ink-soft hover:text-ink"
    >
      <ArrowLeft aria-hidden="true" className="size-4" />
      Back to deals
    </Link>
  )
}
