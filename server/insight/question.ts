import type { DealFilter, DealSort } from '../deals/find/wire.ts'

/** What is asked of all deals at once: how many there are, and what they amount to. */
export interface Question {
  /** What is true of the deals that are counted. */
  filter: DealFilter
  /** In which order they are shown: what is most pressing first. */
  sort: DealSort
  /** Whether only deals count of which something is still expected. */
  isOpen: boolean
}

/** The figures on top. */
export const figureNames = ['open', 'installed', 'funded'] as const
/** What needs attention, the most pressing first: what stands between an installed system and its payment comes before what is still to be built. */
export const attentionNames = [
  'unfunded',
  'reInspection',
  'lateInstall',
  'latePermit',
  'outstandingItems',
  'changedAdders',
  'hoaApproval',
  'quiet',
] as const

export type FigureName = (typeof figureNames)[number]
export type AttentionName = (typeof attentionNames)[number]
export type QuestionName = FigureName | AttentionName

const unfundedAfterDays = 14
const quietAfterDays = 30
const fundedWithinDays = 30

/** Returns the day, as `2026-03-01`, that lies so many days before another. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
}

/** Returns what the overview asks on a day, in UTC. */
export function questionsOf(today: string): Record<QuestionName, Question> {
  const open = (
    filter: DealFilter,
    field: DealSort['field'],
    direction: DealSort['direction'] = 'asc',
  ): Question => ({
    filter: { ...filter, missing: ['fundingSubmitted', ...(filter.missing ?? [])] },
    sort: { field, direction },
    isOpen: true,
  })
  const yesterday = daysBefore(today, 1)
  return {
    open: open({}, 'lastModified', 'desc'),
    installed: open({ present: ['installComplete'] }, 'installComplete'),
    funded: {
      filter: { dates: { fundingSubmitted: { from: daysBefore(today, fundedWithinDays), to: today } } },
      sort: { field: 'fundingSubmitted', direction: 'desc' },
      isOpen: false,
    },
    unfunded: open(
      { dates: { installComplete: { to: daysBefore(today, unfundedAfterDays) } } },
      'installComplete',
    ),
    reInspection: open({ present: ['reInspectionRequested'] }, 'reInspectionRequested'),
    lateInstall: open(
      {
        dates: { installedScheduled: { to: yesterday } },
        missing: ['installComplete'],
        flags: { installCompleted: false },
      },
      'installedScheduled',
    ),
    latePermit: open(
      { dates: { expectedPermitDeliveryDate: { to: yesterday } }, missing: ['permitReceived'] },
      'expectedPermitDeliveryDate',
    ),
    outstandingItems: open({ flags: { hasOutstandingItems: true } }, 'timeInCurrentStage'),
    changedAdders: open({ flags: { hasChangesToAdders: true } }, 'timeInCurrentStage'),
    // The board of an association is shown the design; before there is one, nobody waits for its approval.
    hoaApproval: open(
      { flags: { hasHoa: true }, present: ['cadCompleted'], missing: ['hoaApprovedDate', 'installComplete'] },
      'cadCompleted',
    ),
    quiet: open({ dates: { lastModified: { to: daysBefore(today, quietAfterDays) } } }, 'lastModified'),
  }
}

/** Returns the deals of a question, as they are found when these are the stages that deals are in. */
export function filterOf(
  { filter, isOpen }: Question,
  stages: { stage: string; isClosed: boolean }[],
): DealFilter {
  return isOpen && stages.some(({ isClosed }) => isClosed)
    ? { ...filter, stages: stages.filter(({ isClosed }) => !isClosed).map(({ stage }) => stage) }
    : filter
}

/** How many deals, and dollars. */
export interface Tally {
  count: number
  amount: number
}
