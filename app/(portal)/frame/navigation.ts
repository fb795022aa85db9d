import {
  Activity,
  BookOpen,
  Building2,
  FileUp,
  House,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Send,
  SquareKanban,
  Table2,
  Users,
  Webhook,
} from 'lucide-react'
import type { Viewer } from './viewer.ts'

/** Whom somebody is to the navigation. */
export type Visitor = Pick<Viewer, 'role' | 'chosenPartner'>

/** A place of the portal that the frame leads to. */
export interface Entry {
  label: string
  href: string
  icon: LucideIcon
  /** Whether it is one of those behind the link to the section; without it the frame leads there by itself. */
  inSection?: true
  /** Who is led there; without it everybody. What they may see there is not decided here. */
  isFor?: (visitor: Visitor) => boolean
}

const isAdmin = ({ role }: Visitor) => role === 'admin'
const isOperator = ({ role }: Visitor) => role === 'operator'
const isManager = ({ role }: Visitor) => role !== 'member'

const entries: Entry[] = [
  { label: 'Overview', href: '/', icon: House },
  { label: 'Deals', href: '/deals', icon: Table2 },
  { label: 'Board', href: '/deals/board', icon: SquareKanban },
  { label: 'Partners', href: '/partners', icon: Building2, inSection: true, isFor: isOperator },
  { label: 'Imports', href: '/imports', icon: FileUp, inSection: true, isFor: isOperator },
  // The addresses are one partner's.
  {
    label: 'Webhooks',
    href: '/webhooks',
    icon: Webhook,
    inSection: true,
    isFor: (visitor) => isAdmin(visitor) || (isOperator(visitor) && visitor.chosenPartner !== null),
  },
  { label: 'Deliveries', href: '/deliveries', icon: Send, inSection: true, isFor: isManager },
  { label: 'Tokens', href: '/tokens', icon: KeyRound, inSection: true, isFor: isManager },
  { label: 'Team', href: '/team', icon: Users, inSection: true, isFor: isAdmin },
  { label: 'Accounts', href: '/team', icon: Users, inSection: true, isFor: isOperator },
  { label: 'Audit log', href: '/audit', icon: ScrollText, inSection: true, isFor: isManager },
  { label: 'Health', href: '/health', icon: Activity, inSection: true, isFor: isOperator },
  { label: 'Developers', href: '/docs', icon: BookOpen, inSection: true, isFor: isManager },
]

/** Where the frame leads somebody, in the order in which it is shown. */
export const entriesFor = (visitor: Visitor, all: readonly Entry[] = entries) =>
  all.filter(({ isFor }) => isFor?.(visitor) ?? true)

/** Where the links at the head of each page lead somebody: the places by themselves, and the section by its first. */
export function headEntriesFor(visitor: Visitor): Entry[] {
  const shown = entriesFor(visitor)
  const first = shown.find(({ inSection }) => inSection)
  const alone = shown.filter(({ inSection }) => !inSection)
  return first === undefined
    ? alone
    : [...alone, { ...first, label: visitor.role === 'operator' ? 'Operate' : 'Manage' }]
}

/** The entries of the section, in which one goes from page to page by links beside them. */
export const sectionEntriesFor = (visitor: Visitor) =>
  entriesFor(visitor).filter(({ inSection }) => inSection)

/** The entry to which the page at `path` belongs: the one whose address is the longest part of it, or undefined. */
export function currentEntry(shown: readonly Entry[], path: string): Entry | undefined {
  return shown
    .filter(({ href }) => path === href || (href !== '/' && path.startsWith(`${href}/`)))
    .toSorted((a, b) => b.href.length - a.href.length)[0]
}

/** Of the links at the head of each page, the one to which the page at `path` belongs. */
export function currentHeadEntry(visitor: Visitor, path: string): Entry | undefined {
  const head = headEntriesFor(visitor)
  return currentEntry(entriesFor(visitor), path)?.inSection
    ? head.find(({ inSection }) => inSection)
    : currentEntry(head, path)
}
