import type { inferRouterOutputs } from '@trpc/server'
import type { Api } from '#server/api.ts'
import type { StagePlace } from '#server/stages/place.ts'
import type { StageKind, StageTone } from '#server/stages/stage.ts'

/** What operators call the kinds of stages. */
export const kindLabels: Record<StageKind, string> = {
  open: 'Open',
  'on-hold': 'On hold',
  won: 'Won',
  lost: 'Lost',
}

/** What the deals of a stage wait for, by its place. */
export const placeLabels: Record<StagePlace | 'none', string> = {
  survey: 'Site survey',
  cad: 'CAD design',
  engineering: 'Engineering',
  ntp: 'Notice to proceed',
  ntpApproved: 'Permit submission or install',
  hoa: 'HOA approval',
  permitSubmission: 'Permit submission',
  permit: 'Permit',
  install: 'Install',
  installed: 'Inspection or funding',
  inspection: 'Inspection',
  funding: 'Funding submission',
  m2: 'M2 approval',
  pto: 'M2 approval or payment',
  payment: 'Payment',
  none: 'Not known',
}

/** What operators call the colours of stages. */
export const toneLabels: Record<StageTone | 'auto', string> = {
  auto: 'By phase',
  gray: 'Gray',
  blue: 'Blue',
  violet: 'Violet',
  teal: 'Teal',
  green: 'Green',
}

/** A stage, with what the CRM says of it, and whether its place is proposed. */
export type Stage = inferRouterOutputs<Api>['stages']['editable'][number]
