import { formatIn } from '#app/ui/format.ts'
import type { DerivedColumn } from '#server/deals/derived-columns.ts'
import { blockerText, responsibleText } from '#server/deals/milestones/labels.ts'
import type { FoundRow } from '#server/search/router.ts'
import { type Zone, dayOf } from '#server/values/zone.ts'
import { nextStepText } from './next-step-text.ts'
import { paymentText } from './payment-text.ts'

interface Descriptor {
  label: string
  /** Its title in a file, if its label is the name of a field in an import. */
  fileTitle?: string
  /** The data that it is derived from. */
  from: DerivedColumn
  /** Its group in the column picker. */
  group: 'Deal' | 'Milestones'
  /** Its cell as text, in files and, unless `cell.tsx` has another one, on the screen. */
  text: (deal: Pick<FoundRow, DerivedColumn>, zone: Zone) => string
  /** Its cell in files, if it differs: a file may be opened in a later year, so its dates need the year. */
  fileText?: (deal: Pick<FoundRow, DerivedColumn>, zone: Zone) => string
}

/** Columns that are not deal fields. Viewers of all partners see the partner. */
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

/** Returns the descriptor of a column; undefined for a field. */
export const derivedColumn = (column: string): Descriptor | undefined =>
  Object.hasOwn(derivedColumns, column) ? derivedColumns[column as DerivedColumnId] : undefined

/** Returns the payment of a deal for a cell: `Nov 25 – Dec 2`, `Paid Nov 3`; a dash if nobody can tell. */
function expectedPaymentText({ payment }: Pick<FoundRow, 'payment'>, zone: Zone, nowMs: number): string {
  if (payment == null) return ''
  const { label, value } = paymentText(payment, nowMs, formatIn(zone))
  if (payment.kind === 'unknown') return '–'
  return payment.kind === 'paid' ? `${label} ${value === 'Yes' ? '' : value}`.trim() : value
}

function milestoneText({ milestone }: Pick<FoundRow, 'milestone'>, zone: Zone): string {
  return nextStepText(milestone ?? null, (time) => dayOf(time, zone))
}
