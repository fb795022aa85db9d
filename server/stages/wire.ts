import { z } from 'zod'
import { text } from '../values/input.ts'
import { placeNames } from './place.ts'
import { orderMax, stageKinds, stageNameMaxLength, stageTones, stagesMax } from './stage.ts'

/** The colors an operator can choose. */
export const toneChoices = ['auto', ...stageTones] as const

const name = text(stageNameMaxLength).min(1, { error: 'must not be empty' })

/** An operator's changes to a stage; omitted fields stay. */
export const SetStage = z.object({
  name,
  kind: z.enum(stageKinds).optional(),
  order: z
    .int({ error: 'must be a whole number' })
    .min(0, { error: 'must be at least 0' })
    .max(orderMax, { error: `must be at most ${orderMax}` })
    .optional(),
  /** What its deals wait for; `none` for unknown. */
  place: z.enum([...placeNames, 'none']).optional(),
  /** `auto` follows the phase again. */
  tone: z.enum(toneChoices).optional(),
})
export type SetStage = z.infer<typeof SetStage>

/** A stage to remove. */
export const NameStage = z.object({ name })

/** A stage to remove, and the stage that its name stands for from now on. */
export const MergeStage = z.object({ name, into: name })
export type MergeStage = z.infer<typeof MergeStage>

/** A move among the stages of a kind, with the previous and next neighbor as seen by the operator. */
export const MoveStage = z.object({
  name,
  was: name.nullable(),
  after: name.nullable(),
  before: name.nullable(),
})

/** The stages whose suggested places the operator has seen. */
export const ConfirmStages = z.object({ names: z.array(name).min(1).max(stagesMax) })
