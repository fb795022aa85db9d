import { placeStages } from '../stages/order.ts'
import { type NewStage, likeliest } from '../stages/spelling.ts'
import { type Stage, compareStages } from '../stages/stage.ts'
import type { describedOf } from './described-stages.ts'

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
