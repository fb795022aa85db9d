import type { NeighbourFigures } from './neighbours.ts'
import type { World } from './world.ts'

/** The maximum or minimum of a figure. */
export interface Bound {
  kind: '≥' | '≤'
  value: number
}

/** A measurement. */
export interface Figure {
  name: string
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
  measure(world: World): Promise<number>
}

/** A figure and its value; undefined if the measurement failed. */
export interface Result {
  figure: Figure
  measured: number | undefined
  /** Duration, including setup. */
  seconds: number
  /** The target, or with --check the floor or ceiling on this machine at that moment. */
  bound?: Bound | undefined
}

const atLeast = (value: number): Bound => ({ kind: '≥', value })
const atMost = (value: number): Bound => ({ kind: '≤', value })

/** All figures, in the order of measurement and display. */
export const figures: Figure[] = [
  {
    name: 'importNewPerS',
    unit: '/s',
    floor: 1500,
    target: atLeast(5000),
    about: 'new deals imported a second: the first load, without events',
    measure: async (world) => (await world.firstImport()).perS,
  },
  {
    name: 'importUnchangedPerS',
    unit: '/s',
    floor: 3640,
    target: atLeast(15_000),
    about: 'unchanged deals imported a second: the same file again',
    measure: async (world) => (await world.unchangedImport()).perS,
  },
  {
    name: 'importRssMb',
    unit: 'MB',
    target: atMost(300),
    about: 'peak resident memory of these two imports',
    measure: async (world) =>
      Math.max((await world.firstImport()).peakMb, (await world.unchangedImport()).peakMb),
  },
  {
    name: 'listVsFastify',
    unit: '×',
    floor: 6,
    target: atLeast(20),
    about: 'unchanged lists of 25 a second beside the peer, 16 connections',
    measure: (world) => world.listBesidePeer(),
  },
  {
    name: 'freshListVsFastify',
    unit: '×',
    // Half of the value measured with 10,000 deals, before the admission of statements and with it.
    floor: 0.6,
    target: atLeast(4),
    about: 'the same with no page kept in memory, as if each had changed',
    measure: (world) => world.freshListBesidePeer(),
  },
  {
    name: 'lastPageVsFirst',
    unit: '×',
    target: atMost(1.2),
    about: 'time of the last page of N deals beside that of the first; the target is for N = 1,000,000',
    measure: (world) => world.lastPageVsFirst(),
  },
  {
    name: 'searchesPerS',
    unit: '/s',
    floor: 110,
    about: 'searches of the portal a second: common and rare words and none that match, without a browser',
    measure: (world) => world.searchesPerS(),
  },
  {
    name: 'portalCallP95Ms',
    unit: 'ms',
    target: atMost(150),
    about:
      'the slowest call that finds, counts and sums up deals, for a partner and for the operator, 95th percentile',
    measure: (world) => world.dealCallMs(),
  },
  {
    name: 'dealsPaintMs',
    unit: 'ms',
    target: atMost(1000),
    about: 'from the beginning of the navigation until deals are painted in the portal, in Chromium',
    measure: async (world) => (await world.feel()).paintMs,
  },
  {
    name: 'searchP95Ms',
    unit: 'ms',
    target: atMost(150),
    about: 'from a keystroke in the search of the portal until its deals are painted, 95th percentile',
    measure: async (world) => (await world.feel()).searchP95Ms,
  },
  {
    name: 'exportOverIdleMb',
    unit: 'MB',
    target: atMost(100),
    about: 'peak memory of the server above that at rest, while it sends all columns of all deals as CSV',
    measure: (world) => world.exportOverIdleMb(),
  },
  {
    name: 'idleRssMb',
    unit: 'MB',
    target: atMost(250),
    about: 'resident memory of the idle system after its start and a request of each kind, database apart',
    measure: (world) => world.idleMb(),
  },
  {
    name: 'deliveriesPerS',
    unit: '/s',
    floor: 850,
    target: atLeast(500),
    about:
      '10,000 waiting events sent a second by one worker, from the first to the last receipt (3,000 with --check)',
    measure: async (world) => (await world.drains()).perS,
  },
  {
    name: 'deadNeighbourRatio',
    unit: '×',
    floor: 0.4,
    target: atLeast(0.9),
    about:
      'events sent a second while 10,000 wait for another partner who never answers, beside those without',
    measure: async (world) => (await world.drains()).besideDead,
  },
  ofNeighbour(
    'neighbourP95Ratio',
    '×',
    20,
    "time of another partner's calls during the worst attack, 95th percentile, beside that at rest",
  ),
  ofNeighbour('neighbourRefused', 'calls', 0, 'how many of these calls are refused, in all attacks'),
  ofNeighbour(
    'neighbourMailS',
    's',
    10,
    "from a change of another partner's deal until its follower is mailed, during the worst attack",
  ),
  ofNeighbour(
    'resetsRssMb',
    'MB',
    800,
    'the most resident memory of the server during a minute of password resets',
  ),
  ofNeighbour(
    'unreadRssMb',
    'MB',
    400,
    'by how much the resident memory of the server rises while answers to a member are not read',
  ),
  ofNeighbour(
    'hubspotCallsPerMin',
    '/min',
    600,
    "calls of HubSpot's quota a minute while linked files are asked for without end; its smallest plans allow 600",
  ),
]

/** Returns a figure of the attacks by one caller. */
function ofNeighbour(
  name: keyof NeighbourFigures,
  unit: Figure['unit'],
  ceiling: number,
  about: string,
): Figure {
  return { name, unit, ceiling, target: atMost(ceiling), about, measure: (world) => world[name]() }
}
