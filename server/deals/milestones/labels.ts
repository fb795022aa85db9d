import { type FlowStep, type LastStepNow, flowSteps } from './flow.ts'
import { type MilestoneName, courseMilestones, milestoneOf } from './milestone.ts'
import type { Gate, Hold } from './money.ts'

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

/** The label of each hold: what a deal waits for. */
export const holdLabels: Readonly<Record<Hold, string>> = {
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

/** The label of each milestone that deals reach. */
export const courseLabels = labelsOf(courseMilestones, (name) => milestoneOf(name).label)

/** What ends each step. */
const stepEnds = labelsOf(flowSteps, labelOfStep)

/** The label of each measured step. Inspection and M2 have no end date and belong to the step after them. */
export const stepLabels: Readonly<Record<FlowStep, string>> = {
  ...stepEnds,
  funding: 'Inspection and funding submission',
  payment: 'M2 approval and payment',
}

/** The label of each reach: a deal's progress. */
export const reachLabels: Readonly<Record<LastStepNow, string>> = {
  created: 'Created',
  ...stepEnds,
  unknown: 'not known',
}

function labelOfStep(step: FlowStep): string {
  if (step === 'permitSubmission') return 'Permit submission'
  if (step === 'payment') return 'Payment'
  return step === 'funding' ? 'Funding submission' : milestoneOf(step).label
}

function labelsOf<Name extends FlowStep | MilestoneName>(
  names: readonly Name[],
  labelOf: (name: Name) => string,
): Readonly<Record<Name, string>> {
  return Object.fromEntries(names.map((name) => [name, labelOf(name)])) as Record<Name, string>
}
