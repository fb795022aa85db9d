import type { StageKind, StageTone } from '#server/stages/stage.ts'

/** What operators call the kinds of stages. */
export const kindLabels: Record<StageKind, string> = {
  open: 'Open',
  'on-hold': 'On hold',
  won: 'Won',
  lost: 'Lost',
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
