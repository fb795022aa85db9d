import type { Feature, MultiPolygon, Polygon } from 'geojson'
import { feature } from 'topojson-client'
import whichPolygon from 'which-polygon'
import type { Area, Point } from './point.ts'
import { stateForm } from './states.ts'

/** A county of the United States or its equivalent: a parish, borough, or independent city. */
interface County {
  /** FIPS code, which starts with the state's code. */
  code: number
  /** Unique name: `Maricopa, AZ`. */
  name: string
  /** Name of the state: `Arizona`. */
  state: string
}

/** The counties and states for a list of region names. */
interface Places {
  counties: number[]
  /** FIPS codes of whole states. */
  states: number[]
  /** True if deals outside all regions match as well. */
  isUnplaced: boolean
}

/** The regions and area of a filter, resolved to counties. */
export interface ResolvedPlaces extends Places {
  /** Codes of the counties that the area intersects, or null if there is no area. */
  meeting: number[] | null
}

/** The counties of the United States and its territories. */
export interface Counties {
  /**
   * Returns the FIPS code of the county at a point or, for a point just off the coast, on the nearest shore.
   * Returns null outside all counties.
   */
  at(point: Point): number | null
  /** Returns the codes of the counties that an area intersects. */
  meeting(area: Area): number[]
  /**
   * Resolves names of counties and states. Skips unknown names. An empty name means deals outside all
   * regions.
   */
  named(names: readonly string[]): Places
  get(code: number): County
}

/** Returns the FIPS code of a county's state. */
export const stateOfCounty = (county: number) => Math.floor(county / 1000)

// Distances in degrees of latitude at which to look for the shore. Shorelines are simplified, so a home on
// the coast may appear to be in the sea.
const offShore = [0.015, 0.03, 0.045]
const directions = Array.from({ length: 8 }, (_, index) => (index * Math.PI) / 4)

let loading: Promise<Counties> | undefined

/** Returns the counties. Loads their shapes on first use, which takes 80 ms. */
export const loadCounties = (): Promise<Counties> => (loading ??= load())

async function load(): Promise<Counties> {
  const { default: atlas } = await import('us-atlas/counties-10m.json', { with: { type: 'json' } })
  const { counties, states } = atlas.objects
  const named = ({ geometries }: typeof counties) =>
    geometries.map(({ id, properties }) => ({
      code: Number(id),
      name: (properties as { name: string }).name,
    }))
  const shapes = feature(atlas, counties)
  const codeAt = whichPolygon<{ code: number }>({
    type: 'FeatureCollection',
    features: shapes.features.map(({ geometry, id }): Feature<Polygon | MultiPolygon, { code: number }> => ({
      type: 'Feature',
      geometry: geometry as Polygon | MultiPolygon,
      properties: { code: Number(id) },
    })),
  })
  const stateNames = new Map(named(states).map(({ code, name }) => [code, name]))
  const byCode = countiesOf(named(counties), stateNames)
  const countyCodes = new Map([...byCode.values()].map(({ name, code }) => [name, code]))
  const stateCodes = new Map([...stateNames].map(([code, name]) => [name, code]))
  return {
    at({ latitude, longitude }) {
      const found = codeAt([longitude, latitude])
      if (found !== null) return found.code
      const eastward = 1 / Math.cos((latitude * Math.PI) / 180)
      for (const degrees of offShore) {
        for (const direction of directions) {
          const near = codeAt([
            longitude + degrees * eastward * Math.sin(direction),
            latitude + degrees * Math.cos(direction),
          ])
          if (near !== null) return near.code
        }
      }
      return null
    },
    meeting: ({ west, south, east, north }) => [
      ...new Set(codeAt.bbox([west, south, east, north]).map(({ code }) => code)),
    ],
    named: (names) => ({
      counties: names.flatMap((name) => countyCodes.get(name) ?? []),
      states: names.flatMap((name) => stateCodes.get(name) ?? []),
      isUnplaced: names.includes(''),
    }),
    get: (code) => byCode.get(code)!,
  }
}

/** Returns the counties by code. An independent city with the same name as a county is labeled as a city. */
function countiesOf(
  counties: { code: number; name: string }[],
  stateNames: ReadonlyMap<number, string>,
): Map<number, County> {
  const keyOf = ({ code, name }: (typeof counties)[number]) => `${stateOfCounty(code)} ${name}`
  const alike = Map.groupBy(counties, keyOf)
  return new Map(
    counties.map((county) => {
      const { code, name } = county
      const state = stateNames.get(stateOfCounty(code))!
      const isCity = Math.max(...alike.get(keyOf(county))!.map((each) => each.code)) === code
      const suffix = isCity && alike.get(keyOf(county))!.length > 1 ? ' city' : ''
      return [code, { code, name: `${name}${suffix}, ${stateForm(state)}`, state }]
    }),
  )
}
