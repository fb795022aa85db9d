'use client'

import { startTransition } from 'react'
import { useRouter } from '#app/ui/use-router.ts'
import { signOut } from '../sign-out.ts'
import { commandsFor } from './commands.ts'
import { usePartnerSwitch } from './use-partner-switch.ts'
import { useSetTheme } from './use-theme.ts'
import type { Viewer, Window } from './viewer.ts'

/** Returns the commands of a user, and how to open a page and select a partner. All but opening a window close the palette. */
export function usePaletteCommands(viewer: Viewer, open: (window: Window) => void, onClose: () => void) {
  const router = useRouter()
  const setTheme = useSetTheme()
  const switchTo = usePartnerSwitch()

  const close =
    <Input extends unknown[]>(act: (...input: Input) => void) =>
    (...input: Input) => {
      onClose()
      act(...input)
    }
  const go = close((href: string) => router.push(href))
  // A full page load, so that no data of this partner remains.
  const choosePartner = close((slug: string | null) => {
    if (slug !== (viewer.chosenPartner?.slug ?? null)) window.location.assign(switchTo(slug))
  })
  const commands = commandsFor(viewer, {
    go,
    open,
    setTheme: close(setTheme),
    choosePartner,
    signOut: close(() => startTransition(signOut)),
  })
  return { commands, go, choosePartner }
}
