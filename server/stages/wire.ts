import { z } from 'zod'
import { text } from '../values/input.ts'
import { placeNames } from './place.ts'
import { orderMax, stageKinds, stageNameMaxLength, stageTones, stagesMax } from './stage.ts'

/** Colors an operator can choose. */
export const toneChoices = ['auto', ...stageTones] as const

const name = text(stageNameMaxLength).min(1, { error: 'must not be empty' })

/** An operator's changes to a stage. Omitted fields keep their values. */
export const SetStage = z.object({
  name,
  kind: z.enum(stageKinds).optional(),
  order: z
    .int({ error: 'must be a whole number' })
    .min(0, { error: 'must be at least 0' })
    .max(orderMax, { error: `must be at most ${orderMax}` })
    .optional(),
  /** The step that deals in this stage wait for. `none` means unknown. */
  place: z.enum([...placeNames, 'none']).optional(),
  /** `auto` restores the color of the stage's phase. */
  tone: z.enum(toneChoices).optional(),
})
export type SetStage = z.infer<typeof SetStage>

export const NameStage = z.object({ name })

/** A stage to remove, and the stage that its name refers to from then on. */
export const MergeStage = z.object({ name, into: name })
export type MergeStage = z.infer<typeof MergeStage>

/** A move among the stages of one kind, with the previous and next neighbors as the operator saw them. */
export const MoveStage = z.object({
  name,
  was: name.nullable(),
  after: name.nullable(),
  before: name.nullable(),
})

/** Stages whose suggested positions the operator has seen. */
export const ConfirmStages = z.object({ names: z.array(name).min(1).max(stagesMax) })
