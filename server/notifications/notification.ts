import type { TimeField } from '../deals/deal.ts'
import type { EventType } from '../deals/event.ts'
import { type MilestoneName, milestoneDates, milestoneOf } from '../deals/milestone.ts'
import { type Zone, type Moment, dayOf, readTime } from '../values/zone.ts'

/** The kinds of notifications. Users can turn each kind off. */
export const notificationKinds = ['stage', 'dates', 'late', 'items', 'files', 'messages'] as const
export type NotificationKind = (typeof notificationKinds)[number]

export type Channel = 'mail' | 'push'

interface DateChange {
  field: TimeField
  from: string | null
  to: string | null
}

/** A step of a deal and its planned time. `step` is null if the step has no name. */
export interface PlannedStep {
  step: MilestoneName | null
  due: string
}

/** The names of the followed views that a deal has entered and left. */
export interface ViewMoves {
  entered: string[]
  left: string[]
}

/**
 * Who took a deal from the user, and the new assignee. `assignedTo` is null if there is none, or if the actor
 * took the deal over.
 */
interface Unassignment {
  unassignedBy: string | null
  assignedTo: string | null
  isTakenOver: boolean
}

export interface NotificationOf {
  /** The stage before and after, if it changed. `from` is null for a deal that is new to the partner. */
  stage: { from: string | null; to: string | null; isNew: boolean; views?: ViewMoves } | { views: ViewMoves }
  /** Changed dates, or a step planned for the next day. */
  dates: { changed: DateChange[] } | { ahead: PlannedStep }
  late: PlannedStep & { isLate: boolean }
  items: { isOpen: boolean }
  files: { id: string; name: string }
  /** An answer or mention in a thread, or an assignment. The name of the person is null if unknown. */
  messages:
    | { threadId: number; author: string; text: string; isMention: boolean }
    | { assignedBy: string | null }
    | Unassignment
}

export type News = {
  [Kind in NotificationKind]: { kind: Kind; changes: NotificationOf[Kind] }
}[NotificationKind]

/** An update of a deal for a user, who need not follow the deal. */
export type NewNotification = News & {
  userId: number
  partnerId: number
  dealId: bigint
  /** Unique per user and deal. A notification with an existing key is not added again. */
  key: string
}

export interface EventChange {
  field: string
  from: unknown
  to: unknown
}

const dateFields: ReadonlySet<string> = new Set(
  milestoneDates.map(({ field }) => field).filter((field) => field !== 'createDate'),
)
const labels: ReadonlyMap<string, string> = new Map(
  milestoneDates.map(({ field, fullLabel }) => [field, fullLabel]),
)

const textOrNull = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** Returns whether two times are on the same day in a zone. Moves within a day are not reported. */
const isSameDay = (from: string | null, to: string | null, zone: Zone) =>
  from !== null && to !== null && dayOf(from, zone) === dayOf(to, zone)

/** Returns the updates in an event for followers in a zone, at most one of each kind. */
export function newsOf(
  type: EventType,
  stage: string | null,
  changes: readonly EventChange[],
  zone: Zone,
): News[] {
  if (type === 'deal.created') return [{ kind: 'stage', changes: { from: null, to: stage, isNew: true } }]
  const news: News[] = []
  const moved = changes.find(({ field }) => field === 'stage')
  if (moved !== undefined)
    news.push({
      kind: 'stage',
      changes: { from: textOrNull(moved.from), to: textOrNull(moved.to), isNew: false },
    })
  const changed = changes
    .filter(({ field }) => dateFields.has(field))
    .map(({ field, from, to }) => ({ field: field as TimeField, from: textOrNull(from), to: textOrNull(to) }))
    .filter(({ from, to }) => !isSameDay(from, to, zone))
  if (changed.length > 0) news.push({ kind: 'dates', changes: { changed } })
  const items = changes.find(({ field }) => field === 'hasOutstandingItems')
  if (items !== undefined) news.push({ kind: 'items', changes: { isOpen: items.to === true } })
  return news
}

/** Returns the URL query that opens the thread of an answer, or an empty string if there is no thread. */
export const threadQueryOf = ({ kind, changes }: News): string =>
  kind === 'messages' && 'threadId' in changes ? `?thread=${changes.threadId}#answer` : ''

type FormatDay = (time: Moment) => string

/** Returns a function that formats days in a zone, by default as `Nov 5, 2026`. */
export const dayFormatOf =
  (zone: Zone, form: Intl.DateTimeFormatOptions = { dateStyle: 'medium' }): FormatDay =>
  (time) => {
    const { ms, zone: readIn } = readTime(time, zone)
    return new Intl.DateTimeFormat('en-US', { ...form, timeZone: readIn }).format(ms)
  }

/**
 * Returns the lines of a notification, each a short phrase. With `isPublic`, they contain no free text, which
 * may contain a homeowner's name.
 */
export function linesOf({ kind, changes }: News, formatDay: FormatDay, isPublic = false): string[] {
  switch (kind) {
    case 'stage':
      return [...('to' in changes ? [stageLine(changes)] : []), ...viewLines(changes.views, isPublic)]
    case 'dates':
      return 'ahead' in changes
        ? [`${nameOfStep(changes.ahead)} is planned for ${formatDay(changes.ahead.due)}`]
        : changes.changed.map((change) => dateLine(change, formatDay))
    case 'late':
      return [
        changes.isLate
          ? `${nameOfStep(changes)} is late: was due ${formatDay(changes.due)}`
          : `${nameOfStep(changes)} is no longer late`,
      ]
    case 'items':
      return [changes.isOpen ? 'Has outstanding items' : 'No more outstanding items']
    case 'files':
      return [isPublic ? 'File added' : `File added: ${changes.name}`]
    case 'messages':
      if ('assignedBy' in changes) return [assignedLine(changes)]
      if ('unassignedBy' in changes) return [unassignedLine(changes)]
      return [
        isPublic
          ? `${changes.author} ${changes.isMention ? 'mentioned you' : 'answered'}`
          : `${changes.author}${changes.isMention ? ' mentioned you' : ''}: ${changes.text}`,
      ]
  }
}

function stageLine({ to, isNew }: { to: string | null; isNew: boolean }): string {
  if (isNew) return to === null ? 'Deal added' : `Deal added in ${to}`
  return to === null ? 'Stage removed' : `Stage moved to ${to}`
}

function viewLines({ entered, left }: ViewMoves = { entered: [], left: [] }, isPublic: boolean): string[] {
  if (isPublic)
    return [
      ...(entered.length > 0 ? ['Entered a view that you follow'] : []),
      ...(left.length > 0 ? ['Left a view that you follow'] : []),
    ]
  return [
    ...entered.map((name) => `Entered your view “${name}”`),
    ...left.map((name) => `Left your view “${name}”`),
  ]
}

const assignedLine = ({ assignedBy }: { assignedBy: string | null }) =>
  assignedBy === null ? 'Assigned to you' : `${assignedBy} assigned this deal to you`

function unassignedLine({ unassignedBy: by, assignedTo, isTakenOver }: Unassignment): string {
  if (by === null) return assignedTo === null ? 'No longer assigned to you' : `Reassigned to ${assignedTo}`
  if (isTakenOver) return `${by} took over this deal from you`
  return assignedTo === null
    ? `${by} unassigned you from this deal`
    : `${by} reassigned this deal to ${assignedTo}`
}

const nameOfStep = ({ step }: PlannedStep) => (step === null ? 'Next step' : milestoneOf(step).label)

function dateLine({ field, from, to }: DateChange, formatDay: FormatDay): string {
  // Only the time of day has changed.
  const isSameDay = from !== null && to !== null && formatDay(from) === formatDay(to)
  const was = from === null || isSameDay ? '' : ` (was ${formatDay(from)})`
  return `${labels.get(field) ?? field}: ${to === null ? 'removed' : formatDay(to)}${was}`
}

/** A deal in a message, and its updates, oldest first. */
export interface DealNews {
  id: string
  name: string
  news: News[]
}

/** An update of a deal. Rows are sorted by deal. */
export type NewsRow = { dealId: string; name: string } & Pick<News, 'kind' | 'changes'>

/** Groups updates by deal. */
export const dealNewsOf = (rows: readonly NewsRow[]): DealNews[] =>
  [...Map.groupBy(rows, ({ dealId }) => dealId)].map(([id, ofDeal]) => ({
    id,
    name: ofDeal[0]!.name,
    news: ofDeal.map(({ kind, changes }) => ({ kind, changes }) as News),
  }))

export interface Content {
  /** The id of the delivery, which is the same for each attempt. */
  id: number
  user: { id: number; email: string; zone: Zone }
  /** The id of the push subscription, or 0 for mail. */
  targetId: number
  deals: [DealNews, ...DealNews[]]
}

export interface SendProblem {
  problem: string
  /** True if another attempt would fail the same way. */
  isPermanent: boolean
  /** True if the recipient was rejected and must receive no further messages. */
  isRecipientGone: boolean
}

export interface ChannelSender {
  /** Attempts to send a message. Returns the reason for a failure, or null. Never rejects. */
  send(content: Content): Promise<SendProblem | null>
}
