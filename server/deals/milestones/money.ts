import { type StageKind, isClosed, isHeld, isWon } from '../../stages/stage.ts'
import type { Deal } from '../deal.ts'
import type { TimeField } from '../find/columns.ts'
import { inspectionOutcome } from './inspection.ts'
import { type Step, isToDo, stepState } from './timeline.ts'

/**
 * How far a deal is on its way to be paid, in order. Each deal is in one of them, unless its stage says that it is
 * lost: `m1`, before M1; `install`, M1 reached and not installed; `submit`, installed and funding not submitted;
 * `approve`, submitted and M2 not approved; `pay`, approved and not paid; `paid`.
 */
export const gates = ['m1', 'install', 'submit', 'approve', 'pay', 'paid'] as const
export type Gate = (typeof gates)[number]

/** The gates that the fields of a deal tell; its stage alone says that it is paid. */
export const openGates = ['m1', 'install', 'submit', 'approve', 'pay'] as const satisfies readonly Gate[]
export type OpenGate = (typeof openGates)[number]

/** The date since which a deal is at a gate. */
export const sinceFields: Readonly<Record<Gate, TimeField>> = {
  m1: 'createDate',
  install: 'ntpApproved',
  submit: 'installComplete',
  approve: 'fundingSubmitted',
  pay: 'fundingSubmitted',
  paid: 'timeInCurrentStage',
}

/** The one thing that keeps a deal from passing its gate, in the order in which the first that applies is told. */
export const holds = [
  'onHold',
  'survey',
  'cad',
  'engineering',
  'ntp',
  'installRecord',
  'hoa',
  'permit',
  'install',
  'reInspection',
  'inspection',
  'outstandingItems',
  'submission',
  'approval',
  'payment',
] as const
export type Hold = (typeof holds)[number]

/** What the fields of a deal tell; its stage alone says that it is on hold. */
export const toldHolds = holds.slice(1) as [Exclude<Hold, 'onHold'>, ...Exclude<Hold, 'onHold'>[]]

/** The role that has a deal: one of its people, the lender, or the partner itself. */
export type Holder =
  | 'owner'
  | 'projectManager'
  | 'permitCoordinator'
  | 'postInstallEngineer'
  | 'postInstallProjectManager'
  | 'lender'

/** Who has a deal that this holds. */
export const holderOf: Readonly<Record<Hold, Holder>> = {
  onHold: 'projectManager',
  survey: 'projectManager',
  cad: 'projectManager',
  engineering: 'projectManager',
  ntp: 'projectManager',
  installRecord: 'projectManager',
  hoa: 'permitCoordinator',
  permit: 'permitCoordinator',
  install: 'projectManager',
  reInspection: 'postInstallEngineer',
  inspection: 'postInstallProjectManager',
  outstandingItems: 'postInstallEngineer',
  submission: 'postInstallProjectManager',
  approval: 'lender',
  payment: 'owner',
}

/** Where a deal is on its way to be paid, and what holds it; nothing holds one that is paid. */
export interface MoneyStanding {
  gate: Gate
  hold: Hold | null
}

/** Returns where a deal is on its way to be paid, by the timeline of the deal as if it were open; null when it is lost. */
export function moneyOf(deal: Deal, stageKind: StageKind, timeline: Step[]): MoneyStanding | null {
  if (isClosed(stageKind)) return isWon(stageKind) ? { gate: 'paid', hold: null } : null
  const gate = gateOf(timeline)
  return { gate, hold: isHeld(stageKind) ? 'onHold' : holdAt(gate, deal, timeline) }
}

function gateOf(timeline: Step[]): OpenGate {
  const isDone = (name: Step['name']) => stepState(timeline, name) === 'done'
  if (isDone('m2')) return 'pay'
  if (isDone('install')) return isDone('funding') ? 'approve' : 'submit'
  return isToDo(timeline, 'survey') || isToDo(timeline, 'ntp') ? 'm1' : 'install'
}

function holdAt(gate: OpenGate, deal: Deal, timeline: Step[]): Hold {
  const isLeft = (name: Step['name']) => isToDo(timeline, name)
  switch (gate) {
    case 'm1':
      return (['survey', 'cad', 'engineering'] as const).find(isLeft) ?? 'ntp'
    case 'install':
      if (!isLeft('install')) return 'installRecord'
      return (['hoa', 'permit'] as const).find(isLeft) ?? 'install'
    case 'pay':
      return 'payment'
    default:
      if (inspectionOutcome(deal) === 'failed') return 'reInspection'
      // Nobody submits before an inspection that is required has passed, recorded or not.
      if (gate === 'submit' && inspectionOutcome(deal) === null && isLeft('inspection')) return 'inspection'
      if (deal.hasOutstandingItems) return 'outstandingItems'
      return gate === 'submit' ? 'submission' : 'approval'
  }
}

/** What holds a deal, and who has it. */
export interface HeldDeal extends MoneyStanding {
  holder: Holder | null
  /** The name of the person or the lender; null when it is not known. */
  name: string | null
}

/** Returns what holds a deal, and who has it, by its timeline as if it were open; null when it is lost. */
export function heldOf(deal: Deal, stageKind: StageKind, timeline: Step[]): HeldDeal | null {
  const standing = moneyOf(deal, stageKind, timeline)
  if (standing === null) return null
  const holder = standing.hold === null ? null : holderOf[standing.hold]
  return { ...standing, holder, name: holder === null ? null : nameOf(deal, holder) }
}

function nameOf(deal: Deal, holder: Holder): string | null {
  if (holder === 'lender') return deal.lender || null
  const person = deal[holder]
  return [person?.firstName, person?.lastName].filter(Boolean).join(' ') || (person?.email ?? null)
}
