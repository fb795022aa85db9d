/** Maximum number of shades on a map. */
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

/**
 * Returns the color of a shade. The last of `count` shades is the darkest, or in the dark theme the lightest.
 */
export function shadeColor(shade: number, count: number): string {
  const share = count === 1 ? 60 : Math.round(22 + (78 * shade) / (count - 1))
  return `color-mix(in oklab, var(--accent) ${share}%, var(--surface))`
}

/** Opacity of shading behind points. */
export const faintOpacity = 0.4
