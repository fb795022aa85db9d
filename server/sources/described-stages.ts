import { classifyStage } from '../stages/stage.ts'
import type { CrmStage } from './crm-source.ts'

/** Returns what the stages table is told: what is open in the CRM may be on hold by its name. */
export function describedOf(stages: readonly CrmStage[]) {
  const byName = new Map(
    stages.toReversed().map(({ stage, kind, order, probability }) => {
      const byWords = classifyStage(stage).kind
      const shownKind = kind === 'open' && byWords === 'on-hold' ? byWords : kind
      return [stage, { name: stage, kind: shownKind, order, probability }]
    }),
  )
  return [...byName.values()]
}
