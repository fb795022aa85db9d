import type { Gate } from '#server/deals/milestones/money.ts'
import { expectedLabels } from '#server/insight/money/labels.ts'
import type { ExpectedFigure, MoneyFigures, NotExpected } from '#server/insight/money/wire.ts'
import { usualText } from '../deals/[id]/timeline-text.ts'

/** The definition of each gate, and its starting date. */
export const gateTexts: Record<Gate, { definition: string; since: string }> = {
  m1: {
    definition: 'Site survey not completed or notice to proceed (NTP) not approved. M1 needs both.',
    since: 'created',
  },
  install: {
    definition: 'Site survey completed and NTP approved, so the conditions for M1 are met. Not installed.',
    since: 'NTP approved',
  },
  submit: { definition: 'Installed. Funding not submitted, M2 not approved.', since: 'installed' },
  approve: {
    definition:
      'Funding submitted. M2 needs a passed inspection where one is required, no outstanding items, and approval.',
    since: 'submitted',
  },
  unknown: {
    definition: 'On hold, or in a stage that does not say which of these it is.',
    since: 'in its stage',
  },
  pay: { definition: 'M2 approved. Not marked paid yet.', since: 'submitted' },
  paid: { definition: 'In a paid stage, such as Complete.', since: 'paid' },
}

/** Descriptions of deals with no expected payment. */
const notExpectedTexts: Record<NotExpected, string> = {
  m1: 'without a date for M1',
  install: 'without a date for install',
  submission: 'without a date for funding submission',
  payment: 'without a date for payment',
  unknown: 'with an unknown payment status',
  onHold: 'on hold',
}

/** Returns descriptions of the deals that the expected sums leave out. */
export const notExpectedParts = ({ notExpected }: Pick<MoneyFigures, 'notExpected'>) =>
  notExpected.map(({ name, count, filter }) => ({ count, filter, what: notExpectedTexts[name] }))

/** Describes what is expected, and its certainty. */
export function expectedText(
  { name, certainty }: Pick<ExpectedFigure, 'name' | 'certainty'>,
  usual: MoneyFigures['usual'],
): { label: string; hint: string } {
  const { label, from } = expectedLabels[name]
  const days = usual[name]
  if (certainty === 'scheduled' || days === null) return { label, hint: 'Scheduled date' }
  return { label, hint: usualText(days, from) }
}
