/** A point in degrees. */
export interface Point {
  latitude: number
  longitude: number
}

/** Coordinates that bound an area, in degrees. */
export interface Area {
  west: number
  south: number
  east: number
  north: number
}

/**
 * Returns the two numbers in coordinates such as `33.4484,-112.0740`, without checking their range. Returns
 * null for any other text.
 */
export function numbersOf(coordinates: string): Point | null {
  const [, north, east] =
    /^\s*(-?\d+(?:\.\d+)?)\s?[,;]\s?(-?\d+(?:\.\d+)?)\s*$/.exec(coordinates.slice(0, 100)) ?? []
  return north === undefined ? null : { latitude: Number(north), longitude: Number(east) }
}

/** Parses coordinates. Returns null if they are 0,0, out of range, or not a pair of numbers. */
export function pointOf(coordinates: string): Point | null {
  const point = numbersOf(coordinates)
  if (point === null || (point.latitude === 0 && point.longitude === 0)) return null
  return Math.abs(point.latitude) <= 90 && Math.abs(point.longitude) <= 180 ? point : null
}

/** Returns the intersection of two areas, or null. */
export function commonArea(a: Area, b: Area): Area | null {
  const common = {
    west: Math.max(a.west, b.west),
    south: Math.max(a.south, b.south),
    east: Math.min(a.east, b.east),
    north: Math.min(a.north, b.north),
  }
  return common.west <= common.east && common.south <= common.north ? common : null
}
