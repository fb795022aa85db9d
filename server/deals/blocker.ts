import type { AwaitedStep } from '../stages/place.ts'
import { isClosed, isOnHold, isWon } from '../stages/stage.ts'
import type { KnownDeal, TimeField } from './deal.ts'
import { type Evidence, type StageMeaning, evidenceOf, isServiceTicket } from './evidence.ts'

/**
 * The gates that a deal passes before it is paid, in order: `m1` (before M1), `install` (M1 reached, not
 * installed), `submit` (installed, funding not submitted), `approve` (submitted, M2 not approved), `pay`
 * (approved, not paid), `unknown` (open, but the gate cannot be determined) and `paid`. A lost deal has no
 * gate.
 */
export const gates = ['m1', 'install', 'submit', 'approve', 'pay', 'unknown', 'paid'] as const
export type Gate = (typeof gates)[number]

export type OpenGate = Exclude<Gate, 'paid'>
export const openGates = gates.filter((gate) => gate !== 'paid')

/** The field that tells since when a deal has been at each gate. */
export const sinceFields: Readonly<Record<Gate, TimeField>> = {
  m1: 'createDate',
  install: 'ntpApproved',
  submit: 'installComplete',
  approve: 'fundingSubmitted',
  pay: 'fundingSubmitted',
  unknown: 'timeInCurrentStage',
  paid: 'timeInCurrentStage',
}

const gateOfStep: Readonly<Record<AwaitedStep, Exclude<OpenGate, 'unknown'> | null>> = {
  survey: 'm1',
  cad: 'm1',
  engineering: 'm1',
  ntp: 'm1',
  permitSubmission: 'install',
  permit: 'install',
  install: 'install',
  inspection: 'submit',
  funding: 'submit',
  m2: 'approve',
  payment: 'pay',
  // A homeowners association may decide before or after M1.
  hoa: null,
}

/** What an open deal can wait for: `onHold` if its stage is on hold, a step, or `unknown`. */
export const blockers = [
  'onHold',
  'survey',
  'cad',
  'engineering',
  'ntp',
  'hoa',
  'permitSubmission',
  'permit',
  'install',
  'inspection',
  'submission',
  'approval',
  'payment',
  'unknown',
] as const
export type Blocker = (typeof blockers)[number]

/**
 * Returns the blocker that corresponds to a step. The blockers for funding and M2 are named after the missing
 * submission or approval.
 */
function blockerOfStep(step: AwaitedStep): Exclude<Blocker, 'onHold' | 'unknown'> {
  if (step === 'funding') return 'submission'
  return step === 'm2' ? 'approval' : step
}

/** The role that is responsible for a deal: one of its people, the lender, or the partner. */
export type ResponsibleRole =
  | 'owner'
  | 'projectManager'
  | 'permitCoordinator'
  | 'ixCoordinator'
  | 'postInstallProjectManager'
  | 'lender'

const roleOfStep: Readonly<Record<AwaitedStep, ResponsibleRole>> = {
  survey: 'projectManager',
  cad: 'projectManager',
  engineering: 'projectManager',
  ntp: 'projectManager',
  hoa: 'permitCoordinator',
  permitSubmission: 'permitCoordinator',
  permit: 'permitCoordinator',
  install: 'projectManager',
  inspection: 'postInstallProjectManager',
  funding: 'postInstallProjectManager',
  m2: 'lender',
  payment: 'owner',
}

const steps = Object.keys(roleOfStep) as AwaitedStep[]

/**
 * Returns the role that is responsible for a blocker, or null if unknown. Does not apply to deals that await
 * permission to operate.
 */
function roleResponsibleFor(blocker: Blocker): ResponsibleRole | null {
  if (blocker === 'onHold') return 'projectManager'
  const [step] = steps.filter((candidate) => blockerOfStep(candidate) === blocker)
  return step === undefined ? null : roleOfStep[step]
}

/** Returns all roles that may be responsible for deals with this blocker in this stage, or [] if unknown. */
export function rolesResponsibleFor(blocker: Blocker, { place }: StageMeaning): ResponsibleRole[] {
  const role = roleResponsibleFor(blocker)
  if (role === null) return []
  return place === 'pto' && blocker !== 'onHold' ? [role, 'ixCoordinator'] : [role]
}

/** What the payment of an open deal depends on. */
export interface PaymentStatus {
  gate: OpenGate
  hold: Exclude<Blocker, 'onHold'>
  holder: ResponsibleRole | null
}

/** Returns the payment status of a deal. Each value is set only if all possible next steps agree. */
export function paymentStatusOf({ candidates, awaited }: Evidence): PaymentStatus {
  const same = <Value>(of: (step: AwaitedStep) => Value): Value | null => {
    const values = new Set(candidates.map(of))
    return values.size === 1 ? [...values][0]! : null
  }
  return {
    gate: same((step) => gateOfStep[step]) ?? 'unknown',
    hold: awaited === null ? 'unknown' : blockerOfStep(awaited),
    holder: same((step) => roleOfStep[step]),
  }
}

/** What blocks a deal's payment, and who is responsible. */
export interface DealBlocker {
  gate: Gate
  /** Null if the deal is paid. */
  hold: Blocker | null
  holder: ResponsibleRole | null
  /** Name of the responsible person or lender; null if unknown. */
  name: string | null
}

/** Returns what blocks a deal's payment, or null if the deal is lost or a service ticket. */
export function blockerOf(
  deal: KnownDeal,
  stage: StageMeaning,
  nowMs: number,
  evidence: Evidence = evidenceOf(deal, stage, nowMs),
): DealBlocker | null {
  const { kind } = stage
  if (isServiceTicket(deal)) return null
  if (isClosed(kind)) return isWon(kind) ? { gate: 'paid', hold: null, holder: null, name: null } : null
  const { gate, hold, holder: ofStep } = paymentStatusOf(evidence)
  const role = isOnHold(kind) ? roleResponsibleFor('onHold') : (interconnectionOf(deal, stage) ?? ofStep)
  return {
    gate,
    hold: isOnHold(kind) ? 'onHold' : hold,
    holder: role,
    name: role === null ? null : nameOf(deal, role),
  }
}

/** Returns the interconnection coordinator if there is one and the deal awaits permission to operate. */
const interconnectionOf = (deal: KnownDeal, { place }: StageMeaning): ResponsibleRole | null =>
  place === 'pto' && nameOf(deal, 'ixCoordinator') !== null ? 'ixCoordinator' : null

function nameOf(deal: KnownDeal, role: ResponsibleRole): string | null {
  if (role === 'lender') return deal.lender || null
  const person = deal[role]
  return [person?.firstName, person?.lastName].filter(Boolean).join(' ') || (person?.email ?? null)
}
