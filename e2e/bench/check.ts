import type { Figure, Result } from './figures.ts'
import { measureSpeed } from './speed.ts'
import type { World } from './world.ts'

/** A figure with a floor or a ceiling. */
export type BoundedFigure = Figure & ({ floor: number } | { ceiling: number })

/** A figure, its value, and its bound on this machine at that moment. */
export interface Checked extends Result {
  bound: { kind: '≥' | '≤'; value: number }
}

export const hasBound = (figure: Figure): figure is BoundedFigure =>
  figure.floor !== undefined || figure.ceiling !== undefined

export const isWithinBound = ({ measured, bound: { kind, value } }: Checked) =>
  measured !== undefined && (kind === '≥' ? measured >= value : measured <= value)

/**
 * Measures a figure; the floor of a rate is scaled by the machine's speed right before and after. `measure`
 * does the work and turns its failure into a result.
 */
export async function check(
  figure: BoundedFigure,
  world: World,
  measure: (work: () => Promise<number>) => Promise<Result>,
): Promise<Checked> {
  let speed = 1
  const result = await measure(async () => {
    if (figure.unit !== '/s') return figure.measure(world)
    const url = await world.databaseUrl()
    const before = await measureSpeed(url)
    const measured = await figure.measure(world)
    speed = (before + (await measureSpeed(url))) / 2
    return measured
  })
  const { floor, ceiling } = figure
  const bound =
    floor === undefined
      ? ({ kind: '≤', value: ceiling! } as const)
      : ({ kind: '≥', value: floor * speed } as const)
  return { ...result, bound }
}
