import { geoAlbersUsa, geoPath } from 'd3-geo'
import { feature, mesh } from 'topojson-client'
import atlas from 'us-atlas/counties-albers-10m.json'
import type { DealFilter } from '#server/search/wire.ts'

/** The size of the map; the shapes come projected into it. */
export const mapSize = { width: 975, height: 610 }

/** The projection of the shapes, according to their package. */
const projection = geoAlbersUsa().scale(1300).translate([487.5, 305])

const path = geoPath().digits(2)
const { counties, states } = atlas.objects
const countyById = new Map(counties.geometries.map((county) => [String(county.id), county]))
const stateByName = new Map(
  states.geometries.map((state) => [(state.properties as { name: string }).name, state]),
)

/** A box on the map: its corners at the top left and the bottom right. */
export type Box = [[number, number], [number, number]]

/** All borders of counties inside the states, and all of states. */
export const countyBorders = path(mesh(atlas, counties, (a, b) => a !== b && isOneState(a, b))) ?? ''
export const stateBorders = path(mesh(atlas, states)) ?? ''

function isOneState({ id: a }: { id?: string | number }, { id: b }: { id?: string | number }): boolean {
  return String(a).slice(0, 2) === String(b).slice(0, 2)
}

/** The states, to be drawn and clicked. */
export const stateShapes = feature(atlas, states).features.map((shape) => ({
  name: shape.properties.name,
  d: path(shape) ?? '',
}))

const paths = new Map<string, string>()

/** Returns the shape of a county; null if it is not on the map. */
export function countyShape(id: string): string | null {
  const county = countyById.get(id)
  if (county === undefined) return null
  const known = paths.get(id) ?? path(feature(atlas, county)) ?? ''
  paths.set(id, known)
  return known
}

/** Returns the box around a state; null if it is not on the map. */
export function stateBox(name: string): Box | null {
  const state = stateByName.get(name)
  return state === undefined ? null : (path.bounds(feature(atlas, state)) as Box)
}

/** Returns the box around a county; null if it is not on the map. */
export function countyBox(id: string): Box | null {
  const county = countyById.get(id)
  return county === undefined ? null : (path.bounds(feature(atlas, county)) as Box)
}

/** Projects a point onto the map; null outside it. */
export const pointOnMap = (longitude: number, latitude: number) => projection([longitude, latitude])

/** Returns whether a point is in a box on the map; false without one. */
export const isInBox = (point: [number, number] | null, [[left, top], [right, bottom]]: Box) =>
  point !== null && point[0] >= left && point[0] <= right && point[1] >= top && point[1] <= bottom

const steps = Array.from({ length: 9 }, (_, index) => index / 8)

/** Returns the outline of an area, which is curved on the map; empty if it is not on it. */
export function outlineOf({ west, south, east, north }: NonNullable<DealFilter['area']>): [number, number][] {
  const between = (from: number, to: number, share: number) => from + (to - from) * share
  return [
    ...steps.map((step) => [between(west, east, step), south]),
    ...steps.map((step) => [east, between(south, north, step)]),
    ...steps.map((step) => [between(east, west, step), north]),
    ...steps.map((step) => [west, between(north, south, step)]),
  ].flatMap(([longitude, latitude]) => {
    const point = pointOnMap(longitude!, latitude!)
    return point === null ? [] : [point]
  })
}

/** Returns the box around points; null without one. */
export function boxOf(points: readonly [number, number][]): Box | null {
  if (points.length === 0) return null
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [
    [Math.min(...xs), Math.min(...ys)],
    [Math.max(...xs), Math.max(...ys)],
  ]
}

/** Returns the area of a box on the map; null if it is outside. */
export function areaOf([[left, top], [right, bottom]]: Box): NonNullable<DealFilter['area']> | null {
  const points = steps.flatMap((across) =>
    steps.flatMap((down) => {
      const point = projection.invert!([left + (right - left) * across, top + (bottom - top) * down])
      return point === null ? [] : [point]
    }),
  )
  const box = boxOf(points)
  if (box === null) return null
  const [[west, south], [east, north]] = box
  return { west, south, east, north }
}
