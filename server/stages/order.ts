import { type StagePlace, indexOfStep, placeNames, stagePlaces } from './place.ts'
import { type Stage, classifyStage, orderMax, stageKinds } from './stage.ts'

/** The properties of a stage that determine its position. */
type Placed = Pick<Stage, 'name' | 'kind' | 'order'>

/**
 * A CRM's description of a stage, in pipeline order. A stage of several pipelines appears once in each
 * pipeline.
 */
export type DescribedPlace = Placed & { pipeline?: string }

/** Gap between the orders of two new stages, so that later stages fit in between. */
const step = 10

const inOrder = <S extends Placed>(stages: readonly S[]) =>
  stages.toSorted((a, b) => a.order - b.order || (a.name < b.name ? -1 : Number(a.name > b.name)))

/**
 * Returns the order of each stage. Existing stages keep their order; new stages follow their predecessor in
 * the CRM or, if there is none, precede their successor. Existing stages move only to make room.
 */
export function placeStages(
  known: readonly Placed[],
  described: readonly DescribedPlace[],
): ReadonlyMap<string, number> {
  const orders = new Map(known.map(({ name, order }) => [name, order]))
  const kinds = new Set(described.map(({ kind }) => kind))
  for (const kind of kinds) {
    const ofKind = <S extends Placed>(stages: readonly S[]) => stages.filter((stage) => stage.kind === kind)
    const line = inOrder(ofKind(known)).map(({ name }) => name)
    for (const pipeline of Map.groupBy(ofKind(described), (stage) => stage.pipeline).values())
      lineUp(
        line,
        inOrder(pipeline).map(({ name }) => name),
      )
    setOrders(
      line,
      new Map(
        ofKind(described)
          .toReversed()
          .map(({ name, order }) => [name, order]),
      ),
      orders,
    )
  }
  return orders
}

/** The properties of a deal that determine the position of its new stage. */
export interface StagedDeal {
  stage: string
  /** Number of completed steps according to the deal's dates, plus 0.5 if the next step is in progress. */
  progress: number
}

/** A stage in the display order. `at` is its position in the process, or null if unknown. */
interface InLine {
  name: string
  at: number | null
}

/**
 * Returns the new stages of these deals by name, and the orders of all stages. Existing stages keep their
 * order. A new stage is positioned by its step in the process or, if the step is unknown, by the dates of its
 * deals.
 */
export function placeNewStages(
  known: readonly Stage[],
  deals: readonly StagedDeal[],
): { fresh: Stage[]; orders: ReadonlyMap<string, number> } {
  const staged = Map.groupBy(deals, ({ stage }) => stage)
  const progressIn = (name: string) => progressOf(staged.get(name) ?? [])
  const names = new Set(known.map(({ name }) => name))
  const fresh = [...staged.keys()]
    .filter((name) => !names.has(name))
    .map((name) => ({ name, order: 0, ...classifyStage(name) }))
  const inLine = ({ name, place }: Stage): InLine => ({
    name,
    at: place === null ? progressIn(name) : positionOf(place),
  })
  const lines = stageKinds.flatMap((kind) => {
    const ofKind = (stages: readonly Stage[]) => stages.filter((stage) => stage.kind === kind)
    const line = inOrder(ofKind(known)).map(inLine)
    const added = ofKind(fresh)
      .map(inLine)
      .toSorted((a, b) => a.at! - b.at! || progressIn(a.name)! - progressIn(b.name)!)
    for (const stage of added) line.splice(indexByProgress(line, stage.at!), 0, stage)
    return line.map(({ name }, index) => ({ name, kind, order: index * step }))
  })
  const orders = placeStages(known, lines)
  return { fresh: fresh.map((stage) => ({ ...stage, order: orders.get(stage.name)! })), orders }
}

/**
 * Returns the upper quartile of the progress of a stage's deals, or null if there are no deals. Uses an upper
 * quantile because missing dates only ever lower the progress.
 */
function progressOf(deals: readonly StagedDeal[]): number | null {
  const sorted = deals.map(({ progress }) => progress).toSorted((a, b) => a - b)
  return sorted[Math.floor(0.75 * sorted.length)] ?? null
}

/** Returns the position of a step in the process, on the same scale as progress. */
function positionOf(place: StagePlace): number {
  const [first] = stagePlaces[place]
  const steps = indexOfStep(first === 'hoa' ? 'permitSubmission' : first)
  // Sorts between deals that have not begun the step and deals that have.
  return steps + 0.25 + 0.01 * placeNames.indexOf(place)
}

/**
 * Returns the index at which to insert a stage: after the last stage with the same or less progress or, if
 * there is none, before the next stage.
 */
function indexByProgress(line: readonly InLine[], at: number): number {
  const positions = line.flatMap((stage) => stage.at ?? [])
  const before = positions.filter((position) => position <= at)
  if (before.length > 0) return line.findLastIndex((stage) => stage.at === Math.max(...before)) + 1
  return positions.length === 0 ? line.length : line.findIndex((stage) => stage.at === Math.min(...positions))
}

/**
 * A move of a stage among the stages of its kind, with the old and new neighbors. A neighbor is null at
 * either end.
 */
export interface StageMove {
  name: string
  was: string | null
  after: string | null
  before: string | null
}

/** Returns the new orders by stage name, or null if the order has changed since the operator saw it. */
export function moveStage(
  stages: readonly Placed[],
  { name, was, after, before }: StageMove,
): ReadonlyMap<string, number> | null {
  const kind = stages.find((stage) => stage.name === name)?.kind
  const line = inOrder(stages.filter((stage) => stage.kind === kind))
  const rest = line.filter((stage) => stage.name !== name)
  const names = rest.map((stage) => stage.name)
  const at = after === null ? 0 : names.indexOf(after) + 1
  const isKnown = after === null || at > 0
  const had = line[line.findIndex((stage) => stage.name === name) - 1]?.name ?? null
  if (kind === undefined || !isKnown || had !== was || (names[at] ?? null) !== before) return null
  const moved = names.toSpliced(at, 0, name)
  const around = [after, name, before].filter((each) => each !== null)
  const orders = placeStages(
    rest,
    around.map((each, order) => ({ name: each, kind, order })),
  )
  const isTooHigh = orders.get(moved.at(-1)!)! > orderMax
  const next = moved.map((each, index) => [each, isTooHigh ? index * step : orders.get(each)!] as const)
  const former = new Map(line.map((stage) => [stage.name, stage.order]))
  return new Map(next.filter(([each, order]) => former.get(each) !== order))
}

/** Inserts the new names at their positions in a line. */
function lineUp(line: string[], names: readonly string[]): void {
  for (const [index, name] of names.entries())
    if (!line.includes(name)) line.splice(placeIn(line, names, index), 0, name)
}

/** Returns the index at which to insert a name. Earlier names are already in the line. */
function placeIn(line: readonly string[], names: readonly string[], index: number): number {
  if (index > 0) return line.indexOf(names[index - 1]!) + 1
  const next = names.find((each) => line.includes(each))
  return next === undefined ? line.length : line.indexOf(next)
}

/**
 * Assigns orders to new stages between their neighbors, and shifts later stages where needed. If there is no
 * existing neighbor, uses the CRM's orders as long as they ascend.
 */
function setOrders(
  line: readonly string[],
  described: ReadonlyMap<string, number>,
  orders: Map<string, number>,
): void {
  const isUp = line.every((name, at) => at === 0 || described.get(name)! > described.get(line[at - 1]!)!)
  let moved = 0
  let last = -1
  for (let at = 0; at < line.length;) {
    const own = orders.get(line[at]!)
    if (own !== undefined) {
      last = own + moved
      orders.set(line[at++]!, last)
      continue
    }
    const end = line.findIndex((name, index) => index > at && orders.has(name))
    const run = line.slice(at, end === -1 ? line.length : end)
    if (run.length === line.length)
      for (const [index, name] of run.entries()) orders.set(name, isUp ? described.get(name)! : index * step)
    else if (end === -1) for (const name of run) orders.set(name, (last += step))
    else {
      const next = orders.get(line[end]!)! + moved
      if (next - last <= run.length) moved += last + step * (run.length + 1) - next
      const room = orders.get(line[end]!)! + moved - last
      for (const [index, name] of run.entries())
        orders.set(name, last + Math.floor((room * (index + 1)) / (run.length + 1)))
    }
    at += run.length
  }
}
