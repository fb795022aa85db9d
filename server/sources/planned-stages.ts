import { placeStages } from '../stages/order.ts'
import { type StageMatcher, type NewStage, likeliest } from '../stages/spelling.ts'
import {
  type StageKind,
  classifyStage,
  isOnHold,
  isMoving,
  type Stage,
  compareStages,
} from '../stages/stage.ts'
import type { CrmStage } from './crm-source.ts'

/** A stage that deals of a source would get. */
export interface PlannedStage {
  name: string
  deals: number
  /** Set for a new stage, with similar existing stages, most likely first. */
  added?: Pick<NewStage, 'likely'> & {
    /**
     * The preceding stage of the same kind, null if the stage is the first, or undefined if its deals decide.
     */
    after?: string | null
  }
}

/**
 * Returns the stages that a source's deals would get. Stages described by the source come first, in order.
 * `deals` has the number of deals by local stage name.
 */
export function planStages(
  here: readonly Pick<Stage, 'name' | 'kind' | 'order'>[],
  described: ReturnType<typeof describedOf>,
  deals: ReadonlyMap<string, number>,
): PlannedStage[] {
  const fresh = new Map(described.toReversed().map((stage) => [stage.name, stage]))
  // A connected source provides the kinds of its stages.
  const known = here.map((stage) => ({ ...stage, kind: fresh.get(stage.name)?.kind ?? stage.kind }))
  const names = known.map(({ name }) => name)
  const isKnown = new Set(names)
  const orders = placeStages(known, described)
  const line = [...known, ...[...fresh.values()].filter(({ name }) => !isKnown.has(name))]
    .map((stage) => ({ ...stage, order: orders.get(stage.name)! }))
    .toSorted(compareStages)
  const afterOf = (name: string) => {
    const at = line.findIndex((stage) => stage.name === name)
    if (at === -1) return {}
    return { after: line[at - 1]?.kind === line[at]!.kind ? line[at - 1]!.name : null }
  }
  return [...new Set([...described.map(({ name }) => name), ...deals.keys()])].map((name) => ({
    name,
    deals: deals.get(name) ?? 0,
    ...(!isKnown.has(name) && { added: { likely: likeliest(name, names).likely, ...afterOf(name) } }),
  }))
}

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
