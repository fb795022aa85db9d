'use client'

import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type CachedPage, readCachedPages } from '#app/cached-pages.ts'
import { Button } from '#app/ui/button.tsx'
import { PartnerLink } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { usePartner } from '#app/ui/partner.tsx'
import { useFormat } from '#app/ui/times.tsx'

/** Shows that the page is not available offline, and lists cached pages. */
export function OfflinePage() {
  const partner = usePartner()
  const [pages, setPages] = useState<CachedPage[]>([])
  useEffect(() => void readCachedPages(partner).then(setPages), [partner])
  return (
    <>
      <Notice
        icon={WifiOff}
        level={1}
        title="You're offline"
        action={<Button onClick={() => window.location.reload()}>Try again</Button>}
      >
        This page isn’t saved in this browser.
        {pages.length > 0 && ' You can read these:'}
      </Notice>
      {pages.length > 0 && <ResponseCache pages={pages} partner={partner} />}
    </>
  )
}

function ResponseCache({ pages, partner }: { pages: CachedPage[]; partner: string | null }) {
  const { formatClock } = useFormat()
  return (
    <ul
      aria-label="Pages saved in this browser"
      className="mx-auto max-w-md divide-y divide-line rounded-xl border border-line bg-surface"
    >
      {pages.map(({ path, title, at }) => (
        <li key={path}>
          <PartnerLink
            partner={partner}
            href={path}
            className="flex min-h-11 items-center justify-between gap-4 px-4 py-2 hover:bg-sunken"
          >
            <span className="min-w-0 wrap-anywhere">{title}</span>
            <time dateTime={at.toISOString()} className="shrink-0 text-ink-soft tabular-nums">
              {formatClock(at)}
            </time>
          </PartnerLink>
        </li>
      ))}
    </ul>
  )
}
