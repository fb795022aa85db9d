import { House, type LucideIcon, SquareKanban, Table2 } from 'lucide-react'
import type { Role } from '#server/accounts/user.ts'

/** A place of the portal that the frame leads to. */
export interface Entry {
  label: string
  href: string
  icon: LucideIcon
  /** Who is led there; without it everybody. What they may see there is not decided here. */
  roles?: readonly Role[]
}

const entries: Entry[] = [
  { label: 'Overview', href: '/', icon: House },
  { label: 'Deals', href: '/deals', icon: Table2 },
  { label: 'Board', href: '/deals/board', icon: SquareKanban },
]

/** Where the frame leads somebody with this role, in the order in which it is shown. */
export const entriesFor = (role: Role, all: readonly Entry[] = entries) => all.filter(({ roles }) => roles?.includes(role) ?? true)

/** The entry to which the page at `path` belongs: the one whose address is the longest part of it, or undefined. */
export function currentEntry(shown: readonly Entry[], path: string): Entry | undefined {
  return shown.filter(({ href }) => path === href || (href !== '/' && path.startsWith(`${href}/`)))
    .toSorted((a, b) => b.href.length - a.href.length)[0]
}
