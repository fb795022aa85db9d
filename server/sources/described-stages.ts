import type { StageMatcher } from '../stages/spelling.ts'
import { type StageKind, classifyStage, isOnHold, isMoving } from '../stages/stage.ts'
import type { CrmStage } from './crm-source.ts'

/**
 * Returns the stage descriptions from all pipelines under local names. The first pipeline takes precedence. A
 * stage that is open in the CRM may be on hold according to its name.
 */
export function describedOf(stages: readonly CrmStage[], names: Pick<StageMatcher, 'match'>) {
  const firsts = new Map<string, { kind: StageKind; probability: number | null }>()
  return stages.map(({ stage, kind, order, probability, pipelineId: pipeline }) => {
    const { name } = names.match(stage)
    const byWords = classifyStage(stage).kind
    const first = firsts.get(name) ?? {
      kind: isMoving(kind) && isOnHold(byWords) ? byWords : kind,
      probability,
    }
    firsts.set(name, first)
    return { name, order, pipeline, ...first }
  })
}
