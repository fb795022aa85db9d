import { formatIn } from '#app/ui/format.ts'
import type { DerivedColumn } from '#server/deals/milestones/derived-columns.ts'
import { blockerText, responsibleText } from '#server/deals/milestones/labels.ts'
import type { FoundRow } from '#server/search/router.ts'
import { type Zone, dayOf } from '#server/values/zone.ts'
import { nextStepText } from './next-step-text.ts'
import { paymentText } from './payment-text.ts'

interface Descriptor {
  label: string
  /** Title of the column in exported files, if the label is the name of an import field. */
  fileTitle?: string
  /** The data from which the column is derived. */
  from: DerivedColumn
  /** Group of the column in the column picker. */
  group: 'Deal' | 'Milestones'
  /** Text of a cell, in files and on the screen (unless `table/table-row.tsx` renders the column). */
  text: (deal: Pick<FoundRow, DerivedColumn>, zone: Zone) => string
  /**
   * Text of a cell in files if it differs from the screen: a file may be opened in a later year, so dates
   * need the year.
   */
  fileText?: (deal: Pick<FoundRow, DerivedColumn>, zone: Zone) => string
}

/** Columns that are not fields of the deal. Only viewers of all partners see the partner column. */
export const derivedColumns = {
  milestone: { label: 'Next step', from: 'milestone', group: 'Milestones', text: milestoneText },
  held: { label: 'Waiting on', from: 'held', group: 'Milestones', text: ({ held }) => blockerText(held) },
  holder: {
    label: 'Who has it',
    from: 'held',
    group: 'Milestones',
    text: ({ held }) => responsibleText(held),
  },
  payment: {
    label: 'Expected payment',
    from: 'payment',
    group: 'Milestones',
    text: (deal, zone) => expectedPaymentText(deal, zone, Date.now()),
    fileText: (deal, zone) => expectedPaymentText(deal, zone, 0),
  },
  assignee: { label: 'Assigned to', from: 'assignee', group: 'Deal', text: ({ assignee }) => assignee ?? '' },
  partner: {
    label: 'Partner',
    fileTitle: 'Partner name',
    from: 'partner',
    group: 'Deal',
    text: ({ partner }) => partner ?? '',
  },
} satisfies Record<string, Descriptor>

export type DerivedColumnId = keyof typeof derivedColumns

export const derivedColumnIds = Object.keys(derivedColumns) as DerivedColumnId[]

/** Returns the descriptor of a derived column, or undefined if the column is a field. */
export const derivedColumn = (column: string): Descriptor | undefined =>
  Object.hasOwn(derivedColumns, column) ? derivedColumns[column as DerivedColumnId] : undefined

/**
 * Formats the expected payment of a deal: `Nov 25 – Dec 2`, `Paid Nov 3`, or a dash if it cannot be
 * predicted.
 */
function expectedPaymentText({ payment }: Pick<FoundRow, 'payment'>, zone: Zone, nowMs: number): string {
  if (payment == null) return ''
  const { label, value } = paymentText(payment, nowMs, formatIn(zone))
  if (payment.kind === 'unknown') return '–'
  return payment.kind === 'paid' ? `${label} ${value === 'Yes' ? '' : value}`.trim() : value
}

function milestoneText({ milestone }: Pick<FoundRow, 'milestone'>, zone: Zone): string {
  return nextStepText(milestone ?? null, (time) => dayOf(time, zone))
}
