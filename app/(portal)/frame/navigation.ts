import { may } from '#server/access/capability.ts'
import type { Offers } from '#server/insight/wire.ts'
import type * as navigationIcons from './navigation-icons.ts'
import type { Viewer } from './viewer.ts'

/** Properties of the viewer that determine the navigation. */
export type Visitor = Pick<Viewer, 'role' | 'chosenPartner'> & Partial<Pick<Viewer, 'offers'>>

type Place = 'home' | 'deals' | 'money' | 'reports' | 'section'

/** A page in the navigation. */
export interface NavigationEntry {
  label: string
  href: string
  icon: keyof typeof navigationIcons
  place: Place
  needs?: keyof Offers
  /** Returns true if the visitor sees the link (default). Access control is in the procedures. */
  isFor?: (visitor: Visitor) => boolean
}

const isOperator = ({ role }: Visitor) => may(role, 'operate')
const manages = ({ role }: Visitor) => may(role, 'manage')
const administers = ({ role }: Visitor) => may(role, 'administer')

const entries: NavigationEntry[] = [
  { label: 'Home', href: '/', icon: 'House', place: 'home' },
  { label: 'Deals', href: '/deals', icon: 'Table2', place: 'deals' },
  { label: 'Board', href: '/deals/board', icon: 'SquareKanban', place: 'deals' },
  { label: 'Map', href: '/deals/map', icon: 'Map', place: 'deals', needs: 'map' },
  {
    label: 'Money',
    href: '/money',
    icon: 'CircleDollarSign',
    place: 'money',
    isFor: ({ role }) => may(role, 'seeMoney'),
  },
  { label: 'Week', href: '/week', icon: 'CalendarDays', place: 'reports' },
  { label: 'Flow', href: '/flow', icon: 'Workflow', place: 'reports', needs: 'flow' },
  { label: 'Trends', href: '/flow/trends', icon: 'ChartNoAxesColumn', place: 'reports', needs: 'trends' },
  { label: 'Scorecard', href: '/scorecard', icon: 'Gauge', place: 'reports', needs: 'scorecard' },
  { label: 'Partners', href: '/partners', icon: 'Building2', place: 'section', isFor: isOperator },
  { label: 'Questions', href: '/questions', icon: 'MessagesSquare', place: 'section', isFor: isOperator },
  { label: 'Imports', href: '/imports', icon: 'FileUp', place: 'section', isFor: isOperator },
  { label: 'Sources', href: '/sources', icon: 'RefreshCw', place: 'section', isFor: isOperator },
  { label: 'Stages', href: '/stages', icon: 'ListOrdered', place: 'section', isFor: isOperator },
  { label: 'Team', href: '/team', icon: 'Users', place: 'section', isFor: administers },
  // Every endpoint belongs to a partner, so this page needs a partner.
  {
    label: 'Webhooks',
    href: '/webhooks',
    icon: 'Webhook',
    place: 'section',
    isFor: (visitor) => administers(visitor) || (isOperator(visitor) && visitor.chosenPartner !== null),
  },
  { label: 'Deliveries', href: '/deliveries', icon: 'Send', place: 'section', isFor: manages },
  { label: 'Tokens', href: '/tokens', icon: 'KeyRound', place: 'section', isFor: manages },
  { label: 'Accounts', href: '/team', icon: 'Users', place: 'section', isFor: isOperator },
  { label: 'Data issues', href: '/data-issues', icon: 'SearchCheck', place: 'section', isFor: manages },
  { label: 'Audit log', href: '/audit', icon: 'ScrollText', place: 'section', isFor: manages },
  { label: 'Health', href: '/health', icon: 'Activity', place: 'section', isFor: isOperator },
  { label: 'Developers', href: '/docs', icon: 'BookOpen', place: 'section', isFor: manages },
]

/** Returns the pages in a user's navigation, in order. */
export const entriesFor = (visitor: Visitor, all: readonly NavigationEntry[] = entries) =>
  all.filter(
    ({ isFor, needs }) =>
      (isFor?.(visitor) ?? true) && (needs === undefined || visitor.offers?.[needs] === true),
  )

/** Returns the header's links: the first page of each area. */
export function headEntriesFor(visitor: Visitor): NavigationEntry[] {
  const pages = entriesFor(visitor).filter(({ place }) => place !== 'section')
  return [...Map.groupBy(pages, ({ place }) => place).values()].map(([first]) => ({
    ...first!,
    label: first!.place === 'reports' ? 'Reports' : first!.label,
  }))
}

/** Returns the pages of an area. */
export const entriesOf = (place: Place, visitor: Visitor) =>
  entriesFor(visitor).filter((entry) => entry.place === place)

export const sectionEntriesFor = (visitor: Visitor) => entriesOf('section', visitor)

export const sectionName = ({ role }: Pick<Visitor, 'role'>) => (role === 'operator' ? 'Operate' : 'Manage')

/** Returns the entry with the longest path that `path` starts with. */
export function currentEntry(entries: readonly NavigationEntry[], path: string): NavigationEntry | undefined {
  return entries
    .filter(({ href }) => path === href || (href !== '/' && path.startsWith(`${href}/`)))
    .toSorted((a, b) => b.href.length - a.href.length)[0]
}

/** Returns the area that `path` belongs to. */
export const currentPlace = (path: string): Place | undefined => currentEntry(entries, path)?.place
