'use client'

import dynamic from 'next/dynamic'
import { useEffect, useState } from 'react'
import { arrive } from '#app/leave-document.ts'
import { NavigationBar } from '#app/ui/navigation-bar.tsx'
import { PartBoundary } from '#app/ui/part-boundary.tsx'
import { Toasts } from '#app/ui/toast.tsx'
import { isTyping } from '#app/ui/typing.ts'
import { PortalHeader } from './header.tsx'
import { Offline } from './offline.tsx'
import { PartnerBanner } from './partner-banner.tsx'
import { useRecovery } from './use-recovery.ts'
import { useSavedForms } from './use-saved-forms.ts'
import type { Viewer, Window } from './viewer.ts'

// Loaded when first opened.
const Palette = dynamic(() => import('./palette.tsx').then((module) => module.Palette), { ssr: false })
const KeysDialog = dynamic(() => import('./keys-dialog.tsx').then((module) => module.KeysDialog), {
  ssr: false,
})
const NavigationSheet = dynamic(
  () => import('./navigation-sheet.tsx').then((module) => module.NavigationSheet),
  { ssr: false },
)
// Optional: if it fails to load, the page works without.
const LiveChanges = dynamic(
  () =>
    import('../live/live-changes.tsx').then(
      (module) => module.LiveChanges,
      () => Nothing,
    ),
  { ssr: false },
)
const LastSeen = dynamic(
  () =>
    import('./last-seen.tsx').then(
      (module) => module.LastSeen,
      () => Nothing,
    ),
  { ssr: false },
)
const Nothing = () => null

/** Until then the page is loading what it needs first. */
const liveAfterMs = 2000

/** Shows the frame of every page of the portal: header, banner, palette and dialogs. */
export function Frame({ viewer }: { viewer: Viewer }) {
  const [opened, open] = useState<Window | null>(null)
  const close = () => open(null)
  const [isLive, setLive] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLive(true), liveAfterMs)
    return () => clearTimeout(timer)
  }, [])
  useKeys(viewer.isMac, open)
  // Remounted for each session.
  useEffect(arrive, [])
  useSavedForms(viewer.email)
  useRecovery()
  return (
    <>
      {viewer.chosenPartner !== null && <PartnerBanner partner={viewer.chosenPartner} />}
      <PortalHeader viewer={viewer} open={open} />
      <PartBoundary key={`${opened}`} onClose={close}>
        {(opened === 'palette' || opened === 'partners') && (
          <Palette key={opened} start={opened} viewer={viewer} open={open} onClose={close} />
        )}
        {opened === 'keys' && <KeysDialog isMac={viewer.isMac} onClose={close} />}
        {opened === 'navigation' && <NavigationSheet viewer={viewer} open={open} onClose={close} />}
      </PartBoundary>
      {isLive && <LastSeen email={viewer.email} />}
      {isLive && <LiveChanges email={viewer.email} partnerId={viewer.partnerId} />}
      <Offline />
      <NavigationBar />
      <Toasts
        theme={viewer.theme}
        position="bottom-right"
        toastOptions={{ className: 'font-sans!' }}
        style={toastColours}
      />
    </>
  )
}

const toastColours = {
  '--normal-bg': 'var(--surface)',
  '--normal-border': 'var(--line)',
  '--normal-text': 'var(--ink)',
  '--border-radius': '0.75rem',
} as React.CSSProperties

/** Opens windows by keyboard shortcut. */
function useKeys(isMac: boolean, open: (window: Window) => void): void {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const { key, metaKey, ctrlKey, altKey, shiftKey } = event
      if (event.defaultPrevented || altKey) return
      // On a Mac, Ctrl K deletes to the end of the line.
      if (key.toLowerCase() === 'k' && !shiftKey && (isMac ? metaKey : ctrlKey)) {
        event.preventDefault()
        open('palette')
      } else if (key === '?' && !ctrlKey && !metaKey && !isTyping(event.target)) {
        event.preventDefault()
        open('keys')
      }
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isMac, open])
}
