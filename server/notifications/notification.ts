import type { TimeField } from '../deals/deal.ts'
import type { EventType } from '../deals/event.ts'
import { type MilestoneName, milestoneDates, milestoneOf } from '../deals/milestones/milestone.ts'
import type { Moment } from '../protocol/zone.ts'

/** What users are notified of; each has a switch. */
export const notificationKinds = ['stage', 'dates', 'late', 'items', 'files', 'messages'] as const
export type NotificationKind = (typeof notificationKinds)[number]

/** The ways by which notifications leave the portal. */
export type Channel = 'mail' | 'push' | 'team'

/** A date of a deal before and after; null when it was not set. */
interface DateChange {
  field: TimeField
  from: string | null
  to: string | null
}

/** A step of a deal, and the time for which it is planned; null when the step has no name. */
export interface PlannedStep {
  step: MilestoneName | null
  due: string
}

/** What a notification says, by kind. */
export interface NotificationOf {
  /** The stage before and after; a deal that is new to the partner has none before. */
  stage: { from: string | null; to: string | null; isNew: boolean }
  /** Dates that changed, or the step that is planned for the day after. */
  dates: { changed: DateChange[] } | { ahead: PlannedStep }
  late: PlannedStep & { isLate: boolean }
  /** Whether the deal has outstanding items since. */
  items: { isOpen: boolean }
  files: { id: string; name: string }
  /** An answer or a mention in a thread. */
  messages: { threadId: number; author: string; text: string; isMention: boolean }
}

/** A kind with what it says. */
export type News = {
  [Kind in NotificationKind]: { kind: Kind; changes: NotificationOf[Kind] }
}[NotificationKind]

/** News of a deal for a user, who need not follow it. */
export type NewNotification = News & {
  userId: number
  partnerId: number
  dealId: bigint
  /** What it is about: the same key is added once per user and deal. */
  key: string
}

/** A change of an event that tells something: of a person only that it changed. */
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

/** Returns what an event tells followers: nothing, or one piece of news of each kind. */
export function newsOf(type: EventType, stage: string | null, changes: readonly EventChange[]): News[] {
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
    .map(({ field, from, to }) => ({
      field: field as TimeField,
      from: textOrNull(from),
      to: textOrNull(to),
    }))
  if (changed.length > 0) news.push({ kind: 'dates', changes: { changed } })
  const items = changes.find(({ field }) => field === 'hasOutstandingItems')
  if (items !== undefined) news.push({ kind: 'items', changes: { isOpen: items.to === true } })
  return news
}

/** Formats the day of a time. */
export type FormatDay = (time: Moment) => string

/** Returns the lines that a notification consists of, each as a phrase. */
export function linesOf({ kind, changes }: News, formatDay: FormatDay): string[] {
  switch (kind) {
    case 'stage':
      if (changes.isNew) return [changes.to === null ? 'Deal added' : `Deal added in ${changes.to}`]
      return [changes.to === null ? 'Stage removed' : `Stage moved to ${changes.to}`]
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
      return [`File added: ${changes.name}`]
    case 'messages':
      return [`${changes.author}${changes.isMention ? ' mentioned you' : ''}: ${changes.text}`]
  }
}

const nameOfStep = ({ step }: PlannedStep) => (step === null ? 'Next step' : milestoneOf(step).label)

function dateLine({ field, from, to }: DateChange, formatDay: FormatDay): string {
  const was = from === null ? '' : ` (was ${formatDay(from)})`
  return `${labels.get(field) ?? field}: ${to === null ? 'removed' : formatDay(to)}${was}`
}
