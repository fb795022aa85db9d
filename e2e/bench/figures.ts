/** The maximum or minimum of a figure. */
export interface Bound {
  kind: '≥' | '≤'
  value: number
}

/** A measurement. */
export interface Figure {
  name: FigureName
  about: string
  unit: '×' | '/s' | '/min' | 'MB' | 'ms' | 's' | 'calls'
  /** Without a bound, the figure is only for information. */
  target?: Bound
  /**
   * The minimum that --check accepts: less than half the usual figure of its small world. Rates are scaled to
   * machine speed (`measureSpeed`); ratios hold on any machine.
   */
  floor?: number
  /** The maximum that --check accepts, on any machine. */
  ceiling?: number
}

/** The functions that measure the figures of one world. */
export type Measurements = Record<FigureName, () => Promise<number>>

type FigureName = (typeof definitions)[number]['name']

const atLeast = (value: number) => ({ target: { kind: '≥', value } }) as const
const atMost = (value: number) => ({ target: { kind: '≤', value } }) as const
const withCeiling = (value: number) => ({ ceiling: value, ...atMost(value) })

const definitions = [
  {
    name: 'importNewPerS',
    unit: '/s',
    floor: 1500,
    ...atLeast(5000),
    about: 'new deals imported a second: the first load, without events',
  },
  {
    name: 'importUnchangedPerS',
    unit: '/s',
    floor: 3640,
    ...atLeast(15_000),
    about: 'unchanged deals imported a second: the same file again',
  },
  { name: 'importRssMb', unit: 'MB', ...atMost(300), about: 'peak resident memory of these two imports' },
  {
    name: 'listVsFastify',
    unit: '×',
    floor: 6,
    ...atLeast(20),
    about: 'unchanged lists of 25 a second beside the peer, 16 connections',
  },
  {
    name: 'freshListVsFastify',
    unit: '×',
    // Half of the value measured with 10,000 deals, before the admission of statements and with it.
    floor: 0.6,
    ...atLeast(4),
    about: 'the same with no page kept in memory, as if each had changed',
  },
  {
    name: 'lastPageVsFirst',
    unit: '×',
    ...atMost(1.2),
    about: 'time of the last page of N deals beside that of the first; the target is for N = 1,000,000',
  },
  {
    name: 'searchesPerS',
    unit: '/s',
    floor: 110,
    about: 'searches of the portal a second: common and rare words and none that match, without a browser',
  },
  {
    name: 'portalCallP95Ms',
    unit: 'ms',
    ...atMost(150),
    about:
      'the slowest call that finds, counts and sums up deals, for a partner and for the operator, 95th percentile',
  },
  {
    name: 'dealsPaintMs',
    unit: 'ms',
    ...atMost(1000),
    about: 'from the beginning of the navigation until deals are painted in the portal, in Chromium',
  },
  {
    name: 'searchP95Ms',
    unit: 'ms',
    ...atMost(150),
    about: 'from a keystroke in the search of the portal until its deals are painted, 95th percentile',
  },
  {
    name: 'exportOverIdleMb',
    unit: 'MB',
    ...atMost(100),
    about: 'peak memory of the server above that at rest, while it sends all columns of all deals as CSV',
  },
  {
    name: 'idleRssMb',
    unit: 'MB',
    ...atMost(250),
    about: 'resident memory of the idle system after its start and a request of each kind, database apart',
  },
  {
    name: 'deliveriesPerS',
    unit: '/s',
    floor: 850,
    ...atLeast(500),
    about:
      '10,000 waiting events sent a second by one worker, from the first to the last receipt (3,000 with --check)',
  },
  {
    name: 'deadNeighbourRatio',
    unit: '×',
    floor: 0.4,
    ...atLeast(0.9),
    about:
      'events sent a second while 10,000 wait for another partner who never answers, beside those without',
  },
  {
    name: 'neighbourP95Ratio',
    unit: '×',
    ...withCeiling(20),
    about: "time of another partner's calls during the worst attack, 95th percentile, beside that at rest",
  },
  {
    name: 'neighbourRefused',
    unit: 'calls',
    ...withCeiling(0),
    about: 'how many of these calls are refused, in all attacks',
  },
  {
    name: 'neighbourMailS',
    unit: 's',
    ...withCeiling(10),
    about: "from a change of another partner's deal until its follower is mailed, during the worst attack",
  },
  {
    name: 'neighbourRssMb',
    unit: 'MB',
    ...withCeiling(400),
    about: 'by how much the resident memory of the server rises during the worst attack',
  },
  {
    name: 'hubspotCallsPerMin',
    unit: '/min',
    ...withCeiling(600),
    about:
      "calls of HubSpot's quota a minute while linked files are asked for without end; its smallest plans allow 600",
  },
] as const

/** All figures, in the order of measurement and display. */
export const figures: readonly Figure[] = definitions

/** A figure and its value; undefined if the measurement failed. */
export interface Result {
  figure: Figure
  measured: number | undefined
  /** Duration, including setup. */
  seconds: number
  /** The target, or with --check the floor or ceiling on this machine at that moment. */
  bound?: Bound | undefined
}

const isWithin: Record<Bound['kind'], (measured: number, value: number) => boolean> = {
  '≥': (measured, value) => measured >= value,
  '≤': (measured, value) => measured <= value,
}

/** Returns true if a figure was measured and does not exceed its bound. */
export const isWithinBound = ({ measured, bound }: Result) =>
  measured !== undefined && (bound === undefined || isWithin[bound.kind](measured, bound.value))

/** Prints a row for each figure: value, bound (✗ if it is exceeded), and how long its measurement took. */
export function printTable(results: Result[]): void {
  const rows = results.map((result) => {
    const { figure, measured, bound, seconds } = result
    const format = (value: number) => `${round(figure, value).toLocaleString('en')} ${figure.unit}`
    const limit = bound === undefined ? '' : `${bound.kind} ${format(bound.value)}`
    return [
      figure.name,
      measured === undefined ? 'failed' : format(measured),
      bound === undefined || isWithinBound(result) ? limit : `${limit} ✗`,
      `${Math.round(seconds)} s`,
    ]
  })
  const table = [['figure', 'measured', 'bound', 'took'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}

/** Returns the results as JSON: numbers by name, null for failed measurements. */
export const formatJson = (results: Result[]) =>
  JSON.stringify(
    Object.fromEntries(
      results.map(({ figure, measured }) => [
        figure.name,
        measured === undefined ? null : round(figure, measured),
      ]),
    ),
  )

/** As many digits as are significant. */
const round = ({ unit }: Figure, value: number) =>
  unit === '×' || unit === 's' ? Math.round(value * 100) / 100 : Math.round(value)
