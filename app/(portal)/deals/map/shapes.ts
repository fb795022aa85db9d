import { geoAlbersUsa, geoPath } from 'd3-geo'
import { feature, mesh } from 'topojson-client'
import atlas from 'us-atlas/counties-albers-10m.json'
import type { DealFilter } from '#server/search/wire.ts'

/** Size of the map. The shapes are already projected to this size. */
export const mapSize = { width: 975, height: 610 }

/** The projection of the shapes, as documented by their package. */
const projection = geoAlbersUsa().scale(1300).translate([487.5, 305])

const path = geoPath().digits(2)
const { counties, states } = atlas.objects
const countyById = new Map(counties.geometries.map((county) => [String(county.id), county]))
const stateByName = new Map(
  states.geometries.map((state) => [(state.properties as { name: string }).name, state]),
)

/** A box on the map: its top left and bottom right corner. */
export type Box = [[number, number], [number, number]]

/** Borders between counties of the same state, and between states. */
export const countyBorders = path(mesh(atlas, counties, (a, b) => a !== b && isOneState(a, b))) ?? ''
export const stateBorders = path(mesh(atlas, states)) ?? ''

function isOneState({ id: a }: { id?: string | number }, { id: b }: { id?: string | number }): boolean {
  return String(a).slice(0, 2) === String(b).slice(0, 2)
}

/** Shapes of the states, for drawing and clicks. */
export const stateShapes = feature(atlas, states).features.map((shape) => ({
  name: shape.properties.name,
  d: path(shape) ?? '',
}))

const paths = new Map<string, string>()

/** Returns the shape of a county, or null if the map does not show the county. */
export function countyShape(id: string): string | null {
  const county = countyById.get(id)
  if (county === undefined) return null
  const known = paths.get(id) ?? path(feature(atlas, county)) ?? ''
  paths.set(id, known)
  return known
}

/** Returns the bounding box of a state, or null if the map does not show the state. */
export const stateBox = (name: string) => boxAround(stateByName.get(name))

/** Returns the bounding box of a county, or null if the map does not show the county. */
export const countyBox = (id: string) => boxAround(countyById.get(id))

const boxAround = (shape: (typeof counties.geometries)[number] | undefined): Box | null =>
  shape === undefined ? null : (path.bounds(feature(atlas, shape)) as Box)

/** Projects coordinates to a point on the map, or null if they are outside the map. */
export const pointOnMap = (longitude: number, latitude: number) => projection([longitude, latitude])

/** Returns true if the point is inside the box. */
export const isInBox = (point: [number, number] | null, [[left, top], [right, bottom]]: Box) =>
  point !== null && point[0] >= left && point[0] <= right && point[1] >= top && point[1] <= bottom

const steps = Array.from({ length: 9 }, (_, index) => index / 8)

/** Returns the outline of an area, whose edges are curved on the map; empty outside the map. */
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

/** Returns the bounding box of the points, or null if there are none. */
export function boxOf(points: readonly [number, number][]): Box | null {
  if (points.length === 0) return null
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [
    [Math.min(...xs), Math.min(...ys)],
    [Math.max(...xs), Math.max(...ys)],
  ]
}

/** Returns the coordinates of a box on the map, or null if the box is outside the country. */
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

const shadesMax = 5

/**
 * Returns the minimum number of deals for each shade, rounded to 1, 2 or 5 times a power of ten: `[1, 5, 20,
 * 100, 500]`. Grows exponentially, because a few counties have most of the deals. Returns an empty list if
 * there are no deals.
 */
export function shadeStarts(most: number): number[] {
  if (most === 0) return []
  const starts = Array.from({ length: shadesMax }, (_, index) => roundedDown(most ** (index / shadesMax)))
  return [...new Set(starts)]
}

function roundedDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value) + 1e-9)
  const step = [5, 2, 1].find((each) => each * power <= value + 1e-9) ?? 1
  return step * power
}

/** Returns the shade of a county with at least one deal. */
export const shadeOf = (starts: readonly number[], count: number) =>
  starts.findLastIndex((start) => start <= count)

/** Returns the color of a shade: the last is the darkest, or in the dark theme the lightest. */
export function shadeColor(shade: number, count: number): string {
  const share = count === 1 ? 60 : Math.round(22 + (78 * shade) / (count - 1))
  return `color-mix(in oklab, var(--accent) ${share}%, var(--surface))`
}

/** Opacity of shading behind points. */
export const faintOpacity = 0.4
