import { setTimeout as sleep } from 'node:timers/promises'
import { median, send } from './drive.ts'
import { attackNames, attacks } from './neighbours.ts'
import type { World } from './world.ts'

/** The target of a figure. */
export interface Target {
  bound: '≥' | '≤' | '<'
  value: number
}

/** A measurement. */
export interface Figure {
  name: string
  about: string
  unit: '×' | '/s' | '/min' | 'MB' | 'ms' | 's' | 'KB' | 'of 100' | 'calls'
  /** Without one, it is informational. */
  target?: Target
  /**
   * The minimum that --check accepts: less than half the usual figure of its small world. Rates are scaled to
   * machine speed (`measureSpeed`); ratios hold on any machine.
   */
  floor?: number
  /** The maximum that --check accepts, on any machine. */
  ceiling?: number
  /** Takes minutes: only measured on request. */
  deep?: true
  measure(world: World): Promise<number>
}

/** A figure and its value; undefined if the measurement failed. */
export interface Result {
  figure: Figure
  measured: number | undefined
  /** Duration, including setup. */
  seconds: number
}

/** All figures, in the order of measurement and display. */
export const figures: Figure[] = [
  {
    name: 'importNewPerS',
    unit: '/s',
    floor: 1500,
    target: { bound: '≥', value: 5000 },
    about: 'new deals imported a second: the first load, without events',
    measure: async (world) => (await world.firstImport()).perS,
  },
  {
    name: 'importUnchangedPerS',
    unit: '/s',
    floor: 3640,
    target: { bound: '≥', value: 15_000 },
    about: 'unchanged deals imported a second: the same file again',
    measure: async (world) => (await world.unchangedImport()).perS,
  },
  {
    name: 'importRssMb',
    unit: 'MB',
    target: { bound: '<', value: 300 },
    about: 'peak resident memory of these two imports',
    measure: async (world) =>
      Math.max((await world.firstImport()).peakMb, (await world.unchangedImport()).peakMb),
  },
  {
    name: 'listVsFastify',
    unit: '×',
    floor: 6,
    target: { bound: '≥', value: 20 },
    about: 'unchanged lists of 25 a second beside the peer, 16 connections',
    measure: async (world) => (await world.listBesidePeer()).ratio,
  },
  {
    name: 'freshListVsFastify',
    unit: '×',
    // Half of the value measured with 10,000 deals, before the admission of statements and with it.
    floor: 0.6,
    target: { bound: '≥', value: 4 },
    about: 'the same with no page kept in memory, as if each had changed',
    measure: async (world) => (await world.freshListBesidePeer()).ratio,
  },
  {
    name: 'listPerS',
    unit: '/s',
    about: 'unchanged lists of 25 a second',
    measure: async (world) => (await world.listBesidePeer()).firstPerS,
  },
  {
    name: 'fastifyListPerS',
    unit: '/s',
    about: 'lists of 25 a second of the peer',
    measure: async (world) => (await world.listBesidePeer()).secondPerS,
  },
  {
    name: 'listVsConstant',
    unit: '×',
    floor: 0.08,
    target: { bound: '≥', value: 0.2 },
    about: 'unchanged lists a second beside a constant of their size sent by node:http',
    measure: async (world) => (await world.listBesideConstant()).ratio,
  },
  {
    name: 'notModifiedVsConstant',
    unit: '×',
    floor: 0.06,
    target: { bound: '≥', value: 0.4 },
    about: 'answers a second to an If-None-Match that matches, beside constant ones sent by node:http',
    measure: async (world) => (await world.notModifiedBesideConstant()).ratio,
  },
  {
    name: 'crowdVsConstant',
    unit: '×',
    target: { bound: '≥', value: 0.7 },
    about:
      'what unchanged lists keep of their rate over 1,000 connections instead of 50, beside what a constant keeps',
    measure: (world) => world.crowdBesideConstant(),
  },
  {
    name: 'lastPageVsFirst',
    unit: '×',
    target: { bound: '≤', value: 1.2 },
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
    about:
      'searches of the portal a second, common and rare words and none that match, without the way to the browser',
    measure: (world) => world.searchesPerS(),
  },
  {
    name: 'portalCallP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 150 },
    about:
      'the slowest of the calls that find, count and sum up deals, for a partner and for the operator, 95th percentile',
    measure: (world) => world.portalCallMs('deals'),
  },
  {
    name: 'similarP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 150 },
    about: 'the slowest search for names with a slip, for a partner and for the operator, 95th percentile',
    measure: (world) => world.portalCallMs('similar'),
  },
  {
    name: 'scorecardP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 150 },
    about: 'the scorecard of the partner, 95th percentile',
    measure: (world) => world.portalCallMs('scorecard'),
  },
  {
    name: 'weekP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 150 },
    about: 'the page Week, for partners and for the operator, 95th percentile',
    measure: (world) => world.portalCallMs('week'),
  },
  {
    name: 'notificationsP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 150 },
    about: 'the slowest list or unread count of a user with 10,000 notifications, 95th percentile',
    measure: (world) => world.portalCallMs('notifications'),
  },
  {
    name: 'dealsPaintMs',
    unit: 'ms',
    target: { bound: '<', value: 1000 },
    about: 'from the beginning of the navigation until deals are painted in the portal, in Chromium',
    measure: async (world) => (await world.feel()).paintMs,
  },
  {
    name: 'overviewPhoneMs',
    unit: 'ms',
    target: { bound: '<', value: 2500 },
    about: 'from the beginning of the navigation until the overview is painted on a phone with slow 4G',
    measure: (world) => world.phoneMs(),
  },
  {
    name: 'searchP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 150 },
    about: 'from a keystroke in the search of the portal until its deals are painted, 95th percentile',
    measure: async (world) => (await world.feel()).searchP95Ms,
  },
  {
    name: 'filterP95Ms',
    unit: 'ms',
    target: { bound: '<', value: 200 },
    about: 'from a click that sorts or filters until the deals are painted, 95th percentile',
    measure: async (world) => (await world.feel()).filterP95Ms,
  },
  {
    name: 'dealsJsKb',
    unit: 'KB',
    target: { bound: '<', value: 250 },
    about: 'JavaScript of the page of deals, compressed',
    measure: async (world) => (await world.feel()).scriptKb,
  },
  {
    name: 'csvS',
    unit: 's',
    target: { bound: '<', value: 20 },
    about: 'a CSV file of all columns of all deals; the target is for 100,000',
    measure: async (world) => (await world.exported()).seconds,
  },
  {
    name: 'csvDealsPerS',
    unit: '/s',
    floor: 4000,
    about: 'deals a second in a CSV file of all columns of all deals',
    measure: async (world) => world.deals / (await world.exported()).seconds,
  },
  {
    name: 'csvOverIdleMb',
    unit: 'MB',
    target: { bound: '≤', value: 100 },
    about: 'by how much the resident memory of the server rises meanwhile, at its peak',
    measure: async (world) => (await world.exported()).overIdleMb,
  },
  {
    name: 'csvFirstByteMs',
    unit: 'ms',
    target: { bound: '<', value: 300 },
    about:
      'from the request of a CSV file until its first byte, for a partner and for the operator, filtered and sorted too; the slowest',
    measure: async (world) => (await world.exported()).firstByteMs,
  },
  {
    name: 'lighthouseMin',
    unit: 'of 100',
    target: { bound: '≥', value: 95 },
    about:
      "Lighthouse's lowest score of performance, accessibility, best practices for sign-in, deals and a deal (desktop)",
    measure: (world) => world.lighthouse(),
  },
  {
    name: 'idleRssMb',
    unit: 'MB',
    target: { bound: '<', value: 250 },
    about: 'resident memory of the idle system after its start and a request of each kind, database apart',
    measure: measureIdle,
  },
  {
    name: 'readyMs',
    unit: 'ms',
    target: { bound: '<', value: 5000 },
    about: 'from npm start, not the first, until it says that it is ready',
    measure: measureReady,
  },
  {
    name: 'importWithEventsRatio',
    unit: '×',
    target: { bound: '≤', value: 1.5 },
    about:
      'time of an import of 10,000 changed deals while their events are sent, beside one without addresses',
    measure: (world) => world.importsWithEvents('on'),
  },
  {
    name: 'importWorkerOffRatio',
    unit: '×',
    about: 'the same with no worker running: what enqueueing alone costs',
    measure: (world) => world.importsWithEvents('off'),
  },
  {
    name: 'deliveriesPerS',
    unit: '/s',
    floor: 850,
    target: { bound: '≥', value: 500 },
    about:
      '10,000 waiting events sent a second by one worker, from the first to the last receipt (3,000 with --check)',
    measure: async (world) => (await world.drains()).perS,
  },
  {
    name: 'deadNeighbourRatio',
    unit: '×',
    floor: 0.4,
    target: { bound: '≥', value: 0.9 },
    about:
      'events sent a second while 10,000 wait for another partner who never answers, beside those without',
    measure: async (world) => (await world.drains()).besideDead,
  },
  {
    name: 'notifyBurstRatio',
    unit: '×',
    floor: 0.4,
    target: { bound: '≥', value: 0.9 },
    about:
      'events sent a second while 100,000 followers are told of 10,000 changes of another partner, beside those without',
    measure: async (world) => (await world.notifyBurst()).perSRatio,
  },
  {
    name: 'notifyBurstRssMb',
    unit: 'MB',
    ceiling: 400,
    target: { bound: '<', value: 300 },
    about: 'the most resident memory of the worker that tells them',
    measure: async (world) => (await world.notifyBurst()).workerPeakMb,
  },
  ...neighbourFigures(),
  {
    name: 'oldRowsQueueRatio',
    unit: '×',
    target: { bound: '≤', value: 1.1 },
    deep: true,
    about:
      'time of sending 10,000 waiting events with 1,000,000 old events, deliveries and attempts, beside that without',
    measure: async (world) => (await world.oldRows()).queue,
  },
  {
    name: 'oldRowsLogRatio',
    unit: '×',
    target: { bound: '≤', value: 1.1 },
    deep: true,
    about: "time of the delivery log's first page with as many old ones, beside that without",
    measure: async (world) => (await world.oldRows()).log,
  },
  {
    name: 'oldRowsImportRatio',
    unit: '×',
    target: { bound: '≤', value: 1.1 },
    deep: true,
    about: 'time of an import of 10,000 changed deals with as many old ones, beside that without',
    measure: async (world) => (await world.oldRows()).import,
  },
  {
    name: 'removalQueueRatio',
    unit: '×',
    target: { bound: '≤', value: 1.1 },
    deep: true,
    about:
      'time of sending 10,000 waiting events while the worker removes 1,000,000 old ones, beside that while they stay',
    measure: async (world) => (await world.oldRows()).removal,
  },
  {
    name: 'sourceFirstLoadPerS',
    unit: '/s',
    floor: 1000,
    target: { bound: '≥', value: 952 },
    about:
      "deals a second in the first load of a source that answers at once; the target is the ceiling of HubSpot's limit",
    measure: async (world) => (await world.following()).firstLoadPerS,
  },
  {
    name: 'sourceFollowPerS',
    unit: '/s',
    floor: 1000,
    target: { bound: '≥', value: 952 },
    about: 'changed deals a second that are read from it; the ceiling is the same',
    measure: async (world) => (await world.following()).changesPerS,
  },
  {
    name: 'bigFileServerMb',
    unit: 'MB',
    target: { bound: '<', value: 400 },
    deep: true,
    about:
      'peak memory of the server that sends a file of 5 GiB from disk and from an object store, and takes one of 256 MiB',
    measure: async (world) => (await world.bigFile()).serverMb,
  },
  {
    name: 'bigFileCommandMb',
    unit: 'MB',
    target: { bound: '<', value: 400 },
    deep: true,
    about: 'peak memory of the commands that add this file and move it to the store',
    measure: async (world) => (await world.bigFile()).commandMb,
  },
]

/** The effects of one caller on all others, for each attack. */
function neighbourFigures(): Figure[] {
  const noticed = attackNames.flatMap((name): Figure[] => {
    const { about } = attacks[name]
    return [
      {
        name: `neighbourP95Ratio.${name}`,
        unit: '×',
        ceiling: 20,
        target: { bound: '≤', value: 20 },
        about: `time of another partner's calls, 95th percentile, beside that at rest, while ${about}`,
        measure: async (world) => (await world.neighbour(name)).p95Ratio,
      },
      {
        name: `neighbourRefused.${name}`,
        unit: 'calls',
        ceiling: 0,
        target: { bound: '≤', value: 0 },
        about: 'how many of these calls are refused',
        measure: async (world) => (await world.neighbour(name)).refused,
      },
    ]
  })
  return [
    ...noticed,
    {
      name: 'resetsRssMb',
      unit: 'MB',
      ceiling: 800,
      target: { bound: '<', value: 800 },
      about: 'the most resident memory of the server during that minute of password resets',
      measure: (world) => world.resetsRssMb(),
    },
    {
      name: 'unreadRssMb',
      unit: 'MB',
      ceiling: 400,
      target: { bound: '<', value: 400 },
      about: 'by how much the resident memory of the server rises while answers to a member are not read',
      measure: (world) => world.unreadRssMb(),
    },
    ...mailFigures(),
    {
      name: 'hubspotCallsPerMin',
      unit: '/min',
      ceiling: 600,
      target: { bound: '<', value: 600 },
      about:
        "calls of HubSpot's quota a minute while linked files are asked for without end; its smallest plans allow 600",
      measure: (world) => world.hubspotCallsPerMin(),
    },
  ]
}

/** How soon another partner is mailed during attacks on mail. */
function mailFigures(): Figure[] {
  const mailed = attackNames.filter((name) => attacks[name].isMailed)
  return mailed.map((name) => ({
    name: `neighbourMailS.${name}`,
    unit: 's',
    ceiling: 10,
    target: { bound: '≤', value: 10 },
    about: `from a change of another partner's deal until its follower is mailed, while ${attacks[name].about}`,
    measure: (world) => world.neighbourMailS(name),
  }))
}

const restMs = 5000

async function measureIdle(world: World): Promise<number> {
  const ours = await world.loaded()
  await ours.stop()
  await ours.start()
  const rested = sleep(restMs)
  const { deals } = (await (await send(world.listPage(1))).json()) as { deals: { id: number }[] }
  await send(world.request(`/api/deals/${deals[0]!.id}`))
  await send(world.request('/sign-in'))
  await rested
  return ours.residentMb()
}

async function measureReady(world: World): Promise<number> {
  const ours = await world.loaded()
  await ours.stop()
  const times: number[] = []
  while (times.length < 3) times.push(await ours.timeStart())
  return median(times)
}
