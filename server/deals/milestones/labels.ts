import { type FlowStep, type LastStepNow, flowSteps } from './flow.ts'
import { type MilestoneName, courseMilestones, milestoneOf } from './milestone.ts'
import type { Gate, Hold } from './money.ts'

/** The label of each gate on the way to payment. */
export const gateLabels: Readonly<Record<Gate, string>> = {
  m1: 'Before M1',
  install: 'M1 reached, not installed',
  submit: 'Installed, not submitted',
  approve: 'Submitted, not approved',
  pay: 'Approved, not paid',
  unknown: 'Step not known',
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

/** The label of each step between milestones. */
export const stepLabels = labelsOf(flowSteps, labelOfStep)

/** The label of each reach: a deal's progress. */
export const reachLabels: Readonly<Record<LastStepNow, string>> = {
  created: 'Created',
  ...stepLabels,
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
