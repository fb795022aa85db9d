import type { Blocker, DealBlocker, Gate, ResponsibleRole } from './blocker.ts'
import type { FlowStep, LastStepNow } from './flow.ts'
import type { CourseMilestone } from './milestone.ts'

export const gateLabels: Readonly<Record<Gate, string>> = {
  m1: 'Before M1',
  install: 'M1 conditions met, not installed',
  submit: 'Installed, not submitted',
  approve: 'Submitted, not approved',
  pay: 'Approved, not paid',
  unknown: 'Payment status unknown',
  paid: 'Paid',
}

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

/** Labels of the sequential milestones. Duplicated here, so that lists do not have to load the milestones. */
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

/**
 * Labels of the measured steps. Inspection and M2 have no end date, so they are part of the following step.
 */
export const stepLabels: Readonly<Record<FlowStep, string>> = {
  ...stepEnds,
  funding: 'Inspection and funding submission',
  payment: 'M2 approval and payment',
}

export const reachLabels: Readonly<Record<LastStepNow, string>> = {
  created: 'Created',
  ...stepEnds,
  unknown: 'not known',
}

export const responsibleLabels: Record<ResponsibleRole, string> = {
  owner: 'Account manager',
  projectManager: 'Project manager',
  permitCoordinator: 'Permit coordinator',
  ixCoordinator: 'Interconnection coordinator',
  postInstallProjectManager: 'Post-install project manager',
  lender: 'Lender',
}

/** Returns what blocks a deal's payment, or an empty string if nothing does. */
export const blockerText = (blocker: DealBlocker | null | undefined) =>
  blocker?.hold ? blockerLabels[blocker.hold] : ''

/** Returns the name or role of who is responsible for a deal, or an empty string if unknown. */
export const responsibleText = (blocker: DealBlocker | null | undefined) =>
  blocker?.name ?? (blocker?.holder ? responsibleLabels[blocker.holder] : '')

/** Returns what blocks a deal's payment, with who is responsible if known. */
export const blockerTitle = (blocker: DealBlocker) =>
  [blockerText(blocker), responsibleTitle(blocker)].filter(Boolean).join(': ')

/** Returns who is responsible for a deal, with their role. */
export const responsibleTitle = ({ holder, name }: DealBlocker) =>
  [name, holder === null ? null : responsibleLabels[holder]].filter(Boolean).join(', ')
