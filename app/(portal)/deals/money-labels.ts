import type { Gate, Hold } from '#server/deals/milestones/money.ts'

/** Where a deal is on its way to be paid. */
export const gateLabels: Record<Gate, string> = {
  m1: 'Before M1',
  install: 'M1 reached, not installed',
  submit: 'Installed, not submitted',
  approve: 'Submitted, not approved',
  pay: 'Approved, not paid',
  paid: 'Paid',
}

/** What holds a deal. */
export const holdLabels: Record<Hold, string> = {
  onHold: 'On hold',
  survey: 'Site survey',
  cad: 'CAD design',
  engineering: 'Engineering',
  ntp: 'Notice to proceed',
  installRecord: 'Install date not recorded',
  hoa: 'HOA approval',
  permit: 'Permit',
  install: 'Install',
  reInspection: 'Re-inspection',
  inspection: 'Inspection',
  outstandingItems: 'Outstanding items',
  submission: 'Ready to submit',
  approval: 'M2 approval',
  payment: 'Payment',
}
