import type { Figure } from './figures.ts'
import { measureSpeed } from './speed.ts'
import type { Result } from './table.ts'
import type { World } from './world.ts'

/** A figure that must not fall below a floor. */
export type FlooredFigure = Figure & { floor: number }

/** A figure, what came out, and the floor for this machine at that moment. */
export interface Checked extends Result {
  floor: number
}

export const hasFloor = (figure: Figure): figure is FlooredFigure => figure.floor !== undefined

export const isAbove = ({ measured, floor }: Checked) => measured !== undefined && measured >= floor

/**
 * Measures a figure; the floor of a rate is scaled by the speed of the machine right before and after.
 * `measure` does the work and turns its failure into a result.
 */
export async function check(
  figure: FlooredFigure,
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
  return { ...result, floor: figure.floor * speed }
}
