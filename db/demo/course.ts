import { Clock, dateOnly, type ClockZone } from '#db/demo/calendar.ts'
import type { Random } from '#db/demo/random.ts'
import { dayMs } from '#server/values/units.ts'

/**
 * The course of a deal, in milliseconds since 1970; Infinity means never. Entries are named after deal
 * fields.
 */
export interface Course {
  createDate: number
  siteSurveyRequested: number
  siteSurveyCompleted: number
  cadRequested: number
  cadCompleted: number
  redesignCompleteDate: number
  reSignDate: number
  engineeringRequested: number
  engineeringCompleted: number
  ntpRequested: number
  ntpApproved: number
  hoaApproved: number
  permitSubmitted: number
  expectedPermitDeliveryDate: number
  permitReceived: number
  installedScheduled: number
  installComplete: number
  inspectionRequested: number
  inspectionFailed: number
  reInstallScheduled: number
  reInspectionRequested: number
  inspectionPassed: number
  fundingSubmitted: number
  m2Approved: number
  permissionToOperate: number
  serviceRequested: number
  serviceScheduled: number
  serviceComplete: number
}

const never = Infinity

/** The facts that determine a course. */
interface Facts {
  hasHoa: boolean
  permitRequired: boolean
  watts: number
}

/** Returns the complete course of a deal from its creation; dates after today are plans. */
export function course(random: Random, zone: ClockZone, createDate: number, facts: Facts): Course {
  const clock = new Clock(random, zone, createDate)
  const designed = design(random, clock)
  const approved = approvals(random, zone, clock, designed, facts)
  const installedScheduled = clock.visit(7, 34)
  const installComplete = clock.knockOff(facts.watts > 9_500 ? 1 : 0)
  const inspected = facts.permitRequired
    ? inspections(random, clock)
    : { ...noInspection, inspectionPassed: clock.later(1, 4) }
  return {
    createDate,
    ...designed,
    ...approved,
    installedScheduled,
    installComplete,
    ...inspected,
    ...handover(clock),
    ...service(random, clock),
  }
}

/** Returns the steps from the survey to the notice to proceed. */
function design(random: Random, clock: Clock) {
  const siteSurveyRequested = clock.later(0, 2)
  const siteSurveyCompleted = clock.later(2, 11)
  const cadRequested = clock.later(0, 2)
  const cadCompleted = clock.later(1, 7)
  const redesignCompleteDate = random.chance(0.09) ? clock.later(1, 6) : never
  const reSignDate = redesignCompleteDate === never ? never : clock.later(0, 5)
  return {
    siteSurveyRequested,
    siteSurveyCompleted,
    cadRequested,
    cadCompleted,
    redesignCompleteDate,
    reSignDate,
    engineeringRequested: clock.later(0, 2),
    engineeringCompleted: clock.later(2, 11),
    ntpRequested: clock.later(0, 4),
    ntpApproved: clock.later(1, 16),
  }
}

/**
 * Returns when the permit office and the homeowners' association approve; the association does so in
 * parallel.
 */
function approvals(
  random: Random,
  zone: ClockZone,
  clock: Clock,
  { engineeringCompleted, ntpApproved }: Pick<Course, 'engineeringCompleted' | 'ntpApproved'>,
  { hasHoa, permitRequired }: Facts,
) {
  const permitSubmitted = permitRequired ? clock.later(1, 12) : never
  const expectedPermitDeliveryDate = permitRequired
    ? dateOnly(zone, new Clock(random, zone, permitSubmitted).later(12, 38))
    : never
  const permitReceived = permitRequired ? clock.later(4, 54) : never
  const readyToInstall = permitRequired ? permitReceived : ntpApproved
  const boardTime = readyToInstall - engineeringCompleted - dayMs
  const hoaApproved = hasHoa
    ? new Clock(random, zone, engineeringCompleted + (0.2 + 0.8 * random.next()) * boardTime).later(0, 1)
    : never
  return { hoaApproved, permitSubmitted, expectedPermitDeliveryDate, permitReceived }
}

/** Returns the steps from the inspection to the permission to operate. */
function handover(clock: Clock) {
  return {
    fundingSubmitted: clock.later(0, 5),
    m2Approved: clock.later(2, 11),
    permissionToOperate: clock.later(6, 49),
  }
}

/** Returns the steps of a repair after handover; one deal in twenty needs one. */
function service(random: Random, clock: Clock) {
  if (!random.chance(0.05))
    return { serviceRequested: never, serviceScheduled: never, serviceComplete: never }
  return {
    serviceRequested: clock.later(15, 150),
    serviceScheduled: clock.later(1, 6),
    serviceComplete: clock.visit(4, 18),
  }
}

const noInspection = {
  inspectionRequested: never,
  inspectionFailed: never,
  reInstallScheduled: never,
  reInspectionRequested: never,
}

/** One inspection in nine fails at first; usually the crew returns, otherwise the papers are corrected. */
function inspections(random: Random, clock: Clock) {
  const inspectionRequested = clock.later(1, 6)
  const result = clock.later(4, 20)
  if (random.chance(0.89)) return { ...noInspection, inspectionRequested, inspectionPassed: result }
  const reInstallScheduled = random.chance(0.7) ? clock.visit(2, 9) : never
  const reInspectionRequested = clock.later(1, 4)
  return {
    inspectionRequested,
    inspectionFailed: result,
    reInstallScheduled,
    reInspectionRequested,
    inspectionPassed: clock.later(4, 14),
  }
}

export type Happening = keyof Course

interface Stage {
  id: string
  label: string
  /** Share of cancelled and held deals that stop in this stage. */
  stops: number
  /** When a deal enters the stage; Infinity if it skips it. */
  entered: (course: Course) => number
}

/** The stages of a project, in process order. */
const projectStages: readonly Stage[] = [
  { id: 'site-survey', label: 'Site Survey', stops: 5, entered: (at) => at.createDate },
  { id: 'cad-design', label: 'CAD Design', stops: 4, entered: (at) => at.siteSurveyCompleted },
  { id: 'engineering', label: 'Engineering', stops: 2, entered: (at) => at.cadCompleted },
  { id: 'ntp-review', label: 'NTP Review', stops: 4, entered: (at) => at.engineeringCompleted },
  {
    id: 'permit-preparation',
    label: 'Permit Preparation',
    stops: 2,
    entered: (at) => (at.permitSubmitted === never ? never : at.ntpApproved),
  },
  { id: 'permit-submitted', label: 'Permit Submitted', stops: 2, entered: (at) => at.permitSubmitted },
  {
    id: 'install-scheduled',
    label: 'Install Scheduled',
    stops: 1,
    entered: (at) => (at.permitSubmitted === never ? at.ntpApproved : at.permitReceived),
  },
  { id: 'install-complete', label: 'Install Complete', stops: 0, entered: (at) => at.installComplete },
  { id: 'inspection', label: 'Inspection', stops: 0, entered: (at) => at.inspectionRequested },
  { id: 'funding', label: 'Funding', stops: 0, entered: (at) => at.inspectionPassed },
  { id: 'awaiting-pto', label: 'Awaiting PTO', stops: 0, entered: (at) => at.fundingSubmitted },
  { id: 'complete', label: 'Complete', stops: 0, entered: (at) => at.permissionToOperate },
]

const onHold = { id: 'on-hold', label: 'On Hold' }
const cancelled = { id: 'cancelled', label: 'Cancelled' }

/** The stages of a repair after handover. */
const serviceStages: readonly Stage[] = [
  { id: 'service-requested', label: 'Service Requested', stops: 0, entered: (at) => at.serviceRequested },
  { id: 'service-scheduled', label: 'Service Scheduled', stops: 0, entered: (at) => at.serviceScheduled },
  { id: 'service-complete', label: 'Service Complete', stops: 0, entered: (at) => at.serviceComplete },
]

/** The state of a deal today. */
export interface CurrentPosition {
  stage: { id: string; label: string }
  entered: number
  state: 'open' | 'held' | 'cancelled' | 'complete' | 'service'
  /** The course is real up to this instant. */
  until: number
}

/** Returns the state of a deal at `today` (milliseconds): some were cancelled midway, some are on hold. */
export function currentPosition(
  random: Random,
  zone: ClockZone,
  course: Course,
  today: number,
): CurrentPosition {
  const stop = stopped(random, zone, course)
  if (stop && stop.from <= today && today < stop.to) {
    const held = stop.to !== never
    return {
      stage: held ? onHold : cancelled,
      entered: stop.from,
      state: held ? 'held' : 'cancelled',
      until: Math.min(stop.from, stop.next - 1),
    }
  }
  const state = stateOf(course, today)
  const stage = (state === 'service' ? serviceStages : projectStages).findLast(
    ({ entered }) => entered(course) <= today,
  ) as Stage
  return { stage, entered: stage.entered(course), state, until: today }
}

function stateOf({ serviceRequested, permissionToOperate }: Course, today: number): CurrentPosition['state'] {
  if (serviceRequested <= today) return 'service'
  return permissionToOperate <= today ? 'complete' : 'open'
}

/**
 * One in fifteen is cancelled, and more are on hold for some weeks, both in a stage before the install;
 * `next` is when the next stage would have begun.
 */
function stopped(
  random: Random,
  zone: ClockZone,
  course: Course,
): { from: number; to: number; next: number } | null {
  const drawn = random.next()
  if (drawn > 0.27) return null
  const way = projectStages.filter(({ entered }) => entered(course) !== never)
  const { index, entered } = random.weighted(
    way.map((stage, index) => ({ index, entered: stage.entered(course), weight: stage.stops })),
  )
  const from = new Clock(random, zone, entered).later(1, 24)
  const isCancelled = drawn < 0.066
  return {
    from,
    to: isCancelled ? never : from + random.int(20, 110) * dayMs,
    next: way[index + 1]?.entered(course) ?? never,
  }
}
