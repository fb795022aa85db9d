import type { FlowStep, LastStepNow } from './flow.ts'
import type { CourseMilestone } from './milestone.ts'
import type { Blocker, DealBlocker, Gate, ResponsibleRole } from './money.ts'

/** The label of each gate on the way to payment. */
export const gateLabels: Readonly<Record<Gate, string>> = {
  m1: 'Before M1',
  install: 'M1 conditions met, not installed',
  submit: 'Installed, not submitted',
  approve: 'Submitted, not approved',
  pay: 'Approved, not paid',
  unknown: 'Payment status unknown',
  paid: 'Paid',
}

/** The label of each blocker: what a deal waits for. */
export const blockerLabels: Readonly<Record<Blocker, string>> = {
  onHold: 'On hold',
  survey: 'Site survey',
  cad: 'CAD design',
  engineering: 'Engineering',
  ntp: 'Notice to proceed',
  hoa: 'HOA approval',
  permitSubmission: 'Permit submission',
  permit: 'Permit',
  install: 'Install',
  inspection: 'Inspection',
  submission: 'Funding submission',
  approval: 'M2 approval',
  payment: 'Payment',
  unknown: 'Not known',
}

/** The event that ends each measured step. */
const stepEnds: Readonly<Record<FlowStep, string>> = {
  survey: 'Site survey',
  cad: 'CAD design',
  engineering: 'Engineering',
  ntp: 'Notice to proceed',
  permitSubmission: 'Permit submission',
  permit: 'Permit',
  install: 'Install',
  funding: 'Funding submission',
  payment: 'Payment',
}

/** The label of each sequential milestone. Repeated here so that lists need not load the milestones. */
export const sequentialLabels: Readonly<Record<CourseMilestone, string>> = {
  survey: stepEnds.survey,
  cad: stepEnds.cad,
  engineering: stepEnds.engineering,
  ntp: stepEnds.ntp,
  permit: stepEnds.permit,
  install: stepEnds.install,
  inspection: 'Inspection',
  funding: 'Funding',
  m2: 'M2 approval',
}

/** The label of each measured step. Inspection and M2 have no end date and belong to the step after them. */
export const stepLabels: Readonly<Record<FlowStep, string>> = {
  ...stepEnds,
  funding: 'Inspection and funding submission',
  payment: 'M2 approval and payment',
}

/** The label of the last step that a deal completed. */
export const reachLabels: Readonly<Record<LastStepNow, string>> = {
  created: 'Created',
  ...stepEnds,
  unknown: 'not known',
}

/** Who is responsible for a deal. */
export const responsibleLabels: Record<ResponsibleRole, string> = {
  owner: 'Account manager',
  projectManager: 'Project manager',
  permitCoordinator: 'Permit coordinator',
  ixCoordinator: 'Interconnection coordinator',
  postInstallProjectManager: 'Post-install project manager',
  lender: 'Lender',
}

/** Names what blocks a deal's payment; empty if nothing does. */
export const blockerText = (blocker: DealBlocker | null | undefined) =>
  blocker?.hold ? blockerLabels[blocker.hold] : ''

/** Names the person responsible for a deal, or the role; empty if unknown. */
export const responsibleText = (blocker: DealBlocker | null | undefined) =>
  blocker?.name ?? (blocker?.holder ? responsibleLabels[blocker.holder] : '')

/** Names what blocks a deal's payment, and who is responsible if known. */
export const blockerTitle = (blocker: DealBlocker) =>
  [blockerText(blocker), responsibleTitle(blocker)].filter(Boolean).join(': ')

/** Names who is responsible for a deal, with the role. */
export const responsibleTitle = ({ holder, name }: DealBlocker) =>
  [name, holder === null ? null : responsibleLabels[holder]].filter(Boolean).join(', ')
