/** A figure of the benchmark, with the target of a full run and the bounds for --check. */
export interface Figure {
  unit: '×' | '/s' | '/min' | 'MB' | 'ms' | 's' | 'calls'
  about: string
  atLeast?: number
  atMost?: number
  /**
   * Minimum for --check: less than half of the usual value in the small world. Rates are scaled to the
   * machine's speed (`measureSpeed`), ratios are not.
   */
  floor?: number
  /** The target, and the maximum for --check on any machine. */
  ceiling?: number
}

const definitions = {
  importNewPerS: { unit: '/s', floor: 1500, atLeast: 5000, about: 'new deals imported a second, no events' },
  importUnchangedPerS: { unit: '/s', floor: 3640, atLeast: 15_000, about: 'the same file again' },
  importRssMb: { unit: 'MB', atMost: 300, about: 'peak resident memory of these two imports' },
  listVsFastify: { unit: '×', floor: 6, atLeast: 20, about: 'lists of 25 deals, relative to the peer' },
  // Half of the value with 10,000 deals.
  freshListVsFastify: { unit: '×', floor: 0.6, atLeast: 4, about: 'the same without cached pages' },
  lastPageVsFirst: { unit: '×', atMost: 1.2, about: 'time of the last page; target for 1,000,000 deals' },
  searchesPerS: { unit: '/s', floor: 110, about: "the portal's searches a second, without a browser" },
  portalCallP95Ms: {
    unit: 'ms',
    atMost: 150,
    about: 'slowest call that finds, counts or sums up deals, p95',
  },
  dealsPaintMs: { unit: 'ms', atMost: 1000, about: 'from the navigation to painted deals, in Chromium' },
  searchP95Ms: { unit: 'ms', atMost: 150, about: 'from a keystroke to painted deals, in Chromium, p95' },
  exportOverIdleMb: { unit: 'MB', atMost: 100, about: 'peak memory of a CSV export, above idle' },
  idleRssMb: { unit: 'MB', atMost: 250, about: 'resident memory of the idle system, without the database' },
  deliveriesPerS: {
    unit: '/s',
    floor: 850,
    atLeast: 500,
    about: 'waiting events sent a second by one worker',
  },
  deadNeighbourRatio: {
    unit: '×',
    floor: 0.4,
    atLeast: 0.9,
    about: 'the same while a partner never responds',
  },
  neighbourP95Ratio: { unit: '×', ceiling: 20, about: "p95 of another partner's calls during attacks" },
  neighbourRefused: { unit: 'calls', ceiling: 0, about: 'refused calls of this partner during attacks' },
  neighbourMailS: { unit: 's', ceiling: 10, about: 'from a change to a mail during attacks' },
  neighbourRssMb: { unit: 'MB', ceiling: 400, about: 'resident memory that the worst attack adds' },
  hubspotCallsPerMin: { unit: '/min', ceiling: 600, about: "calls of HubSpot's quota during an attack" },
} as const satisfies Record<string, Figure>

export type FigureName = keyof typeof definitions

/** Functions that measure the figures, by name. */
export type Measurements = Record<FigureName, () => Promise<number>>

/** All figures, in the order in which they are measured and printed. */
export const figures: Readonly<Record<FigureName, Figure>> = definitions

export const figureNames = Object.keys(figures) as FigureName[]

/** Result of measuring a figure. */
export interface Result {
  name: FigureName
  /** Undefined if the measurement failed. */
  measured: number | undefined
  /** Duration in seconds, including the setup. */
  seconds: number
  min: number | undefined
  max: number | undefined
}

/** Returns true if the figure was measured and is within its bounds. */
export const isWithin = ({ measured, min = -Infinity, max = Infinity }: Result) =>
  measured !== undefined && measured >= min && measured <= max

/** Prints a row for each figure: value, bound (✗ if exceeded), and duration of the measurement. */
export function printTable(results: readonly Result[]): void {
  for (const result of results) {
    const { name, measured, seconds, min, max } = result
    const format = (value: number | undefined, sign = '') =>
      value === undefined ? '' : `${sign}${round(name, value).toLocaleString('en')} ${figures[name].unit}`
    const value = measured === undefined ? 'failed' : format(measured)
    const bound = `${format(min, '≥ ')}${format(max, '≤ ')}${isWithin(result) ? '' : ' ✗'}`
    console.log(`${name.padEnd(20)} ${value.padEnd(15)} ${bound.padEnd(17)} ${Math.round(seconds)} s`)
  }
}

/** Returns the results as a JSON object of numbers. Failed measurements are null. */
export const formatJson = (results: readonly Result[]) =>
  JSON.stringify(
    Object.fromEntries(
      results.map(({ name, measured }) => [name, measured === undefined ? null : round(name, measured)]),
    ),
  )

/** Rounds to a number of significant digits. */
function round(name: FigureName, value: number): number {
  const { unit } = figures[name]
  return unit === '×' || unit === 's' ? Math.round(value * 100) / 100 : Math.round(value)
}
