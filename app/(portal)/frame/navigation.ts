import { isAdmin, isManager } from '#server/accounts/role.ts'
import type { navigationIcons } from './navigation-icons.ts'
import type { Viewer } from './viewer.ts'

/** The properties of the viewer that the navigation depends on. */
export type Visitor = Pick<Viewer, 'role' | 'chosenPartner'> & Partial<Pick<Viewer, 'seesScorecard'>>

/** A page in the navigation. */
export interface NavigationEntry {
  label: string
  href: string
  icon: keyof typeof navigationIcons
  /** Whether it belongs to the "Manage" or "Operate" section instead of the main links. */
  inSection?: true
  /** Who sees the link; everyone if omitted. Access is not decided here. */
  isFor?: (visitor: Visitor) => boolean
}

const isOperator = ({ role }: Visitor) => role === 'operator'
const manages = ({ role }: Visitor) => isManager(role)

const entries: NavigationEntry[] = [
  { label: 'Overview', href: '/', icon: 'House' },
  { label: 'Week', href: '/week', icon: 'CalendarDays' },
  { label: 'Deals', href: '/deals', icon: 'Table2' },
  { label: 'Board', href: '/deals/board', icon: 'SquareKanban' },
  { label: 'Map', href: '/deals/map', icon: 'Map' },
  { label: 'Money', href: '/money', icon: 'CircleDollarSign' },
  { label: 'Flow', href: '/flow', icon: 'Workflow' },
  {
    label: 'Scorecard',
    href: '/scorecard',
    icon: 'Gauge',
    isFor: ({ seesScorecard }) => seesScorecard === true,
  },
  { label: 'Partners', href: '/partners', icon: 'Building2', inSection: true, isFor: isOperator },
  { label: 'Questions', href: '/questions', icon: 'MessagesSquare', inSection: true, isFor: isOperator },
  { label: 'Imports', href: '/imports', icon: 'FileUp', inSection: true, isFor: isOperator },
  { label: 'Sources', href: '/sources', icon: 'RefreshCw', inSection: true, isFor: isOperator },
  { label: 'Stages', href: '/stages', icon: 'ListOrdered', inSection: true, isFor: isOperator },
  // Endpoints belong to a partner.
  {
    label: 'Webhooks',
    href: '/webhooks',
    icon: 'Webhook',
    inSection: true,
    isFor: (visitor) => isAdmin(visitor.role) || (isOperator(visitor) && visitor.chosenPartner !== null),
  },
  { label: 'Deliveries', href: '/deliveries', icon: 'Send', inSection: true, isFor: manages },
  { label: 'Tokens', href: '/tokens', icon: 'KeyRound', inSection: true, isFor: manages },
  { label: 'Team', href: '/team', icon: 'Users', inSection: true, isFor: ({ role }) => isAdmin(role) },
  { label: 'Accounts', href: '/team', icon: 'Users', inSection: true, isFor: isOperator },
  { label: 'Data issues', href: '/data-issues', icon: 'SearchCheck', inSection: true, isFor: manages },
  { label: 'Audit log', href: '/audit', icon: 'ScrollText', inSection: true, isFor: manages },
  { label: 'Health', href: '/health', icon: 'Activity', inSection: true, isFor: isOperator },
  { label: 'Developers', href: '/docs', icon: 'BookOpen', inSection: true, isFor: manages },
]

/** Returns the pages that a user's navigation shows, in order. */
export const entriesFor = (visitor: Visitor, all: readonly NavigationEntry[] = entries) =>
  all.filter(({ isFor }) => isFor?.(visitor) ?? true)

/** Returns the links in the header: the main pages, and the section by its first page. */
export function headEntriesFor(visitor: Visitor): NavigationEntry[] {
  const shown = entriesFor(visitor)
  const first = shown.find(({ inSection }) => inSection)
  const alone = shown.filter(({ inSection }) => !inSection)
  return first === undefined
    ? alone
    : [...alone, { ...first, label: visitor.role === 'operator' ? 'Operate' : 'Manage' }]
}

/** Returns the pages of the user's section. */
export const sectionEntriesFor = (visitor: Visitor) =>
  entriesFor(visitor).filter(({ inSection }) => inSection)

const lists = ['/deals', '/deals/board', '/deals/map']

/**
 * Returns the URL of an entry on a page: the list, the board and the map pass on the query, with its filters
 * and view.
 */
export function hrefFrom(href: string, path: string, search: string): string {
  if (!lists.includes(href) || !lists.includes(path) || href === path) return href
  // Only the list can preview a deal.
  const query = search.replace(/(?:^|&)peek=[^&]*/, '').replace(/^&/, '')
  return query === '' ? href : `${href}?${query}`
}

/** Returns the entry that `path` belongs to: the one with the longest matching path. */
export function currentEntry(shown: readonly NavigationEntry[], path: string): NavigationEntry | undefined {
  return shown
    .filter(({ href }) => path === href || (href !== '/' && path.startsWith(`${href}/`)))
    .toSorted((a, b) => b.href.length - a.href.length)[0]
}

/** Returns the header link that `path` belongs to. */
export function currentHeadEntry(visitor: Visitor, path: string): NavigationEntry | undefined {
  const head = headEntriesFor(visitor)
  return currentEntry(entriesFor(visitor), path)?.inSection
    ? head.find(({ inSection }) => inSection)
    : currentEntry(head, path)
}
