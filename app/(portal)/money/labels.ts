import type { Gate } from '#server/deals/milestones/money.ts'
import type { NotExpected } from '#server/insight/money/wire.ts'

/** The definition of each gate. */
export const gateTexts: Record<Gate, string> = {
  m1: 'Site survey not completed or notice to proceed (NTP) not approved. M1 needs both.',
  install: 'Site survey completed and NTP approved, so the conditions for M1 are met. Not installed.',
  submit: 'Installed. Funding not submitted, M2 not approved.',
  approve:
    'Funding submitted. M2 needs a passed inspection where one is required, no outstanding items, and approval.',
  unknown: 'On hold, or in a stage that doesn’t say which of these it is.',
  pay: 'M2 approved. Not marked paid yet.',
  paid: 'In a paid stage, such as Complete.',
}

/** Descriptions of deals with no expected payment. */
export const notExpectedTexts: Record<NotExpected, string> = {
  m1: 'without a date for M1',
  install: 'without a date for install',
  submission: 'without a date for funding submission',
  payment: 'without a date for payment',
  unknown: 'whose current step is not known',
  onHold: 'on hold',
}
