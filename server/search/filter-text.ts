import { type StepNow, stepsNow } from '../deals/milestones/flow.ts'
import type { Area } from '../values/point.ts'
import type { Range } from './filters.ts'

// The texts of filters in the query of the deals page, which saved views store.

/** Returns the known names in a comma-separated text, each once. */
export const parseNames = <const Name extends string>(text: string, names: readonly Name[]): Name[] =>
  [...new Set(text.split(','))].filter((name): name is Name => (names as readonly string[]).includes(name))

/** Parses a box of coordinates, `west,south,east,north`, to about ten metres. */
export function parseArea(text: string): Area | null {
  const numbers = text.split(',')
  if (numbers.length !== 4 || !numbers.every((each) => /^-?\d{1,3}(?:\.\d{1,9})?$/.test(each))) return null
  const [west, south, east, north] = numbers.map((each) => Number(each) || 0) as [
    number,
    number,
    number,
    number,
  ]
  const isOnGlobe = west >= -180 && south >= -90 && east <= 180 && north <= 90
  return isOnGlobe && west <= east && south <= north ? { west, south, east, north } : null
}

/** Parses a range of numbers: `5..`, `..8.5` or `5..8.5`. */
export function parseRange(text: string): Range | null {
  const [, min, max] = /^(-?\d{0,12}(?:\.\d{1,6})?)\.\.(-?\d{0,12}(?:\.\d{1,6})?)$/.exec(text) ?? []
  const range: Range = { ...numberAt('min', min), ...numberAt('max', max) }
  return Object.keys(range).length === 0 ? null : range
}

// JSON has no -0.
const numberAt = (end: 'min' | 'max', text: string | undefined): Range =>
  text === undefined || !/\d/.test(text) ? {} : { [end]: Number(text) || 0 }

/** Parses the minimum days in each step: `permit:24,install:41`. */
export function parseWaits(text: string): Partial<Record<StepNow, number>> | null {
  const waits = text.split(',').flatMap((part) => {
    const [, step, days] = /^(\w+):(\d{1,5})$/.exec(part) ?? []
    return stepsNow.some((each) => each === step) ? [[step, Number(days)]] : []
  })
  return waits.length === 0 ? null : (Object.fromEntries(waits) as Partial<Record<StepNow, number>>)
}
