import { Building2, CircleUser, Keyboard, type LucideIcon, LogOut } from 'lucide-react'
import type { Theme } from '#app/theme.ts'
import { type Visitor, entriesFor } from './navigation.ts'
import { themeChoices } from './use-theme.ts'
import type { Window } from './viewer.ts'

/** Something that the palette does beside finding deals. */
export interface Command {
  group: 'Go to' | 'Portal of' | 'Theme' | 'More'
  label: string
  icon: LucideIcon
  run: () => void
}

/** What commands do, as the frame does it. */
export interface AuditContext {
  go: (href: string) => void
  open: (window: Window) => void
  setTheme: (theme: Theme) => void
  choosePartner: (slug: string | null) => void
  signOut: () => void
}

/** All commands of somebody, in the order in which they are shown. */
export function commandsFor(visitor: Visitor, context: AuditContext): Command[] {
  const { role, chosenPartner } = visitor
  const operator: Command[] = [
    { group: 'Portal of', label: 'Choose a partner…', icon: Building2, run: () => context.open('partners') },
  ]
  if (chosenPartner !== null)
    operator.push({
      group: 'Portal of',
      label: 'Back to all partners',
      icon: Building2,
      run: () => context.choosePartner(null),
    })
  return [
    ...entriesFor(visitor).map(({ label, icon, href }): Command => ({
      group: 'Go to',
      label,
      icon,
      run: () => context.go(href),
    })),
    { group: 'Go to', label: 'Your account', icon: CircleUser, run: () => context.go('/account') },
    ...(role === 'operator' ? operator : []),
    ...themeChoices.map(({ value, label, icon }): Command => ({
      group: 'Theme',
      label: `Theme: ${label.toLowerCase()}`,
      icon,
      run: () => context.setTheme(value),
    })),
    { group: 'More', label: 'Keys', icon: Keyboard, run: () => context.open('keys') },
    { group: 'More', label: 'Sign out', icon: LogOut, run: context.signOut },
  ]
}

/** Those commands of which each word of the search begins a word: what is typed is a person's name more often than a command. */
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
