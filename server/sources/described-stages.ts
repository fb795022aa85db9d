import { classifyStage, isHeld, isMoving } from '../stages/stage.ts'
import type { CrmStage } from './crm-source.ts'

/** Returns what the stages table is told: what is open in the CRM may be on hold by its name. */
export function describedOf(stages: readonly CrmStage[]) {
  const byName = new Map(
    stages.toReversed().map(({ stage, kind, order, probability }) => {
      const byWords = classifyStage(stage).kind
      const shownKind = isMoving(kind) && isHeld(byWords) ? byWords : kind
      return [stage, { name: stage, kind: shownKind, order, probability }]
    }),
  )
  return [...byName.values()]
}
