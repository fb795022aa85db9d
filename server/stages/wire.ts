import { z } from 'zod'
import { text } from '../protocol/input.ts'
import { placeNames } from './place.ts'
import { orderMax, stageKinds, stageNameMaxLength, stageTones } from './stage.ts'

/** What an operator can choose as the colour of a stage. */
export const toneChoices = ['auto', ...stageTones] as const

/** What the operator can correct of a stage; what is left out stays. */
export const SetStage = z.object({
  name: text(stageNameMaxLength).min(1, { error: 'must not be empty' }),
  kind: z.enum(stageKinds).optional(),
  order: z
    .int({ error: 'must be a whole number' })
    .min(0, { error: 'must be at least 0' })
    .max(orderMax, { error: `must be at most ${orderMax}` })
    .optional(),
  /** What its deals wait for; `none`: it does not say. */
  place: z.enum([...placeNames, 'none']).optional(),
  /** `auto` follows the phase again. */
  tone: z.enum(toneChoices).optional(),
})
export type SetStage = z.infer<typeof SetStage>
