import { Bell, Bookmark, Building2, CircleUser, Keyboard, type LucideIcon, LogOut } from 'lucide-react'
import type { Theme } from '#app/theme.ts'
import { builtInViews } from '../deals/built-in-views.ts'
import { hrefFrom } from '../deals/lists.tsx'
import * as navigationIcons from './navigation-icons.ts'
import { type Visitor, entriesFor } from './navigation.ts'
import { themeChoices } from './use-theme.ts'
import type { Window } from './viewer.ts'

export interface Command {
  group: 'Go to' | 'Views' | 'View as' | 'Theme' | 'More'
  label: string
  icon: LucideIcon
  run: () => void
}

/** Actions that commands can call. */
export interface CommandContext {
  go: (href: string) => void
  open: (window: Window) => void
  setTheme: (theme: Theme) => void
  choosePartner: (slug: string | null) => void
  signOut: () => void
}

/** Returns the commands available to a user, in display order. */
export function commandsFor(visitor: Visitor, context: CommandContext): Command[] {
  const { role, chosenPartner } = visitor
  const operator: Command[] = [
    { group: 'View as', label: 'Select a partner…', icon: Building2, run: () => context.open('partners') },
    {
      group: 'View as',
      label: 'Back to all partners',
      icon: Building2,
      run: () => context.choosePartner(null),
    },
  ]
  return [
    ...entriesFor(visitor).map(({ label, icon, href }): Command => ({
      group: 'Go to',
      label,
      icon: navigationIcons[icon],
      run: () => context.go(hrefFrom(href, '', '')),
    })),
    { group: 'Go to', label: 'Notifications', icon: Bell, run: () => context.go('/notifications') },
    { group: 'Go to', label: 'Your account', icon: CircleUser, run: () => context.go('/account') },
    ...builtInViews.map(({ name, query }): Command => ({
      group: 'Views',
      label: name,
      icon: Bookmark,
      run: () => context.go(`/deals?${query}`),
    })),
    ...(role === 'operator' ? operator.slice(0, chosenPartner === null ? 1 : 2) : []),
    ...themeChoices.map(({ value, label, icon }): Command => ({
      group: 'Theme',
      label: `Theme: ${label.toLowerCase()}`,
      icon,
      run: () => context.setTheme(value),
    })),
    { group: 'More', label: 'Keyboard shortcuts', icon: Keyboard, run: () => context.open('keys') },
    { group: 'More', label: 'Sign out', icon: LogOut, run: context.signOut },
  ]
}

/** Returns the commands with, for each word of the search, a word that starts with it. */
export function matchCommands<Each extends { label: string }>(commands: Each[], search: string): Each[] {
  const begins = wordsOf(search)
  return commands.filter(({ label }) =>
    begins.every((begin) => wordsOf(label).some((word) => word.startsWith(begin))),
  )
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
