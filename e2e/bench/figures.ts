import type { AttackName } from './attack.ts'
import { attackNames, attacks } from './neighbours.ts'
import type { World } from './world.ts'

/** What a figure must not exceed, or must reach. */
export interface Bound {
  kind: '≥' | '≤'
  value: number
}

/** A measurement. */
export interface Figure {
  name: string
  about: string
  unit: '×' | '/s' | '/min' | 'MB' | 'ms' | 's' | 'calls'
  /** Without one, it is informational. */
  target?: Bound
  /**
   * The minimum that --check accepts: less than half the usual figure of its small world. Rates are scaled to
   * machine speed (`measureSpeed`); ratios hold on any machine.
   */
  floor?: number
  /** The maximum that --check accepts, on any machine. */
  ceiling?: number
  /** The attack during which another partner's calls are measured. */
  neighbour?: AttackName
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

/** What one attack may use up. */
const usedUp: Partial<Record<AttackName, Omit<Figure, 'target' | 'neighbour'> & { ceiling: number }>> = {
  resets: {
    name: 'resetsRssMb',
    unit: 'MB',
    ceiling: 800,
    about: 'the most resident memory of the server during that minute of password resets',
    measure: (world) => world.resetsRssMb(),
  },
  threads: {
    name: 'unreadRssMb',
    unit: 'MB',
    ceiling: 400,
    about: 'by how much the resident memory of the server rises while answers to a member are not read',
    measure: (world) => world.unreadRssMb(),
  },
  files: {
    name: 'hubspotCallsPerMin',
    unit: '/min',
    ceiling: 600,
    about:
      "calls of HubSpot's quota a minute while linked files are asked for without end; its smallest plans allow 600",
    measure: (world) => world.hubspotCallsPerMin(),
  },
}

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
    name: 'importNewWithEventsPerS',
    unit: '/s',
    floor: 1280,
    about: 'new deals imported a second, with events (100,000 at most)',
    measure: async (world) => (await world.eventfulImport()).perS,
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
    name: 'weekP95Ms',
    unit: 'ms',
    target: atMost(150),
    about: 'the page Week, for partners and for the operator, 95th percentile',
    measure: (world) => world.weekCallMs(),
  },
  {
    name: 'dealsPaintMs',
    unit: 'ms',
    target: atMost(1000),
    about: 'from the beginning of the navigation until deals are painted in the portal, in Chromium',
    measure: async (world) => (await world.feel()).paintMs,
  },
  {
    name: 'overviewPhoneMs',
    unit: 'ms',
    target: atMost(2500),
    about: 'from the beginning of the navigation until Home is painted on a phone with slow 4G',
    measure: (world) => world.phoneMs(),
  },
  {
    name: 'searchP95Ms',
    unit: 'ms',
    target: atMost(150),
    about: 'from a keystroke in the search of the portal until its deals are painted, 95th percentile',
    measure: async (world) => (await world.feel()).searchP95Ms,
  },
  {
    name: 'filterP95Ms',
    unit: 'ms',
    target: atMost(200),
    about: 'from a click that sorts or filters until the deals are painted, 95th percentile',
    measure: async (world) => (await world.feel()).filterP95Ms,
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
    name: 'readyMs',
    unit: 'ms',
    target: atMost(5000),
    about: 'from npm start, not the first, until it says that it is ready',
    measure: (world) => world.readyMs(),
  },
  {
    name: 'importWithEventsRatio',
    unit: '×',
    target: atMost(1.5),
    about:
      'time of an import of 10,000 changed deals while their events are sent, beside one without addresses',
    measure: (world) => world.importWithEvents(),
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
  {
    name: 'notifyBurstRatio',
    unit: '×',
    floor: 0.4,
    target: atLeast(0.9),
    about:
      'events sent a second while 100,000 followers are told of 10,000 changes of another partner, beside those without',
    measure: async (world) => (await world.notifyBurst()).perSRatio,
  },
  {
    name: 'notifyBurstRssMb',
    unit: 'MB',
    ceiling: 400,
    target: atMost(300),
    about: 'the most resident memory of the worker that tells them',
    measure: async (world) => (await world.notifyBurst()).workerPeakMb,
  },
  ...attackNames.flatMap(figuresOf),
]

/** Returns what an attack does to another partner, and to what it may use up. */
function figuresOf(neighbour: AttackName): Figure[] {
  const { about, isMailed } = attacks[neighbour]
  const bounded = (figure: Omit<Figure, 'target' | 'neighbour'> & { ceiling: number }): Figure => ({
    ...figure,
    target: atMost(figure.ceiling),
    neighbour,
  })
  const noticed = [
    bounded({
      name: `neighbourP95Ratio.${neighbour}`,
      unit: '×',
      ceiling: 20,
      about: `time of another partner's calls, 95th percentile, beside that at rest, while ${about}`,
      measure: async (world) => (await world.neighbour(neighbour)).p95Ratio,
    }),
    bounded({
      name: `neighbourRefused.${neighbour}`,
      unit: 'calls',
      ceiling: 0,
      about: 'how many of these calls are refused',
      measure: async (world) => (await world.neighbour(neighbour)).refused,
    }),
  ]
  if (isMailed)
    noticed.push(
      bounded({
        name: `neighbourMailS.${neighbour}`,
        unit: 's',
        ceiling: 10,
        about: `from a change of another partner's deal until its follower is mailed, while ${about}`,
        measure: (world) => world.neighbourMailS(neighbour),
      }),
    )
  const used = usedUp[neighbour]
  return used === undefined ? noticed : [...noticed, bounded(used)]
}
