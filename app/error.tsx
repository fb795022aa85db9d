'use client'

import { CloudOff } from 'lucide-react'
import { button } from './ui/button.ts'
import { Notice } from './ui/notice.tsx'

/** What there is to see when a page cannot be shown at all. */
export default function PageError() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Notice
        icon={CloudOff}
        level={1}
        title="This page cannot be shown right now"
        action={<button type="button" className={button.primary} onClick={() => window.location.reload()}>Try again</button>}
      >
        Something went wrong on our side. Nothing is lost, and often it works again a moment later.
      </Notice>
    </main>
  )
}
