import { Clock, dateOnly } from '#db/demo/calendar.ts'
import type { Random } from '#db/demo/random.ts'
import { table } from '#db/demo/tables.ts'
import { dayMs } from '#server/values/units.ts'
import type { Zone } from '#server/values/zone.ts'

/** Times of the steps of a deal, in milliseconds since 1970. Infinity means never. */
export type Steps = ReturnType<typeof planSteps>
export type Step = keyof Steps

const never = Infinity

interface Facts {
  hasHoa: boolean
  permitRequired: boolean
  watts: number
}

/** Returns all steps of a deal from its creation. Steps after today are plans. */
export function planSteps(random: Random, zone: Zone, createDate: number, facts: Facts) {
  const clock = new Clock(random, zone, createDate)
  const designed = design(random, clock)
  return {
    createDate,
    ...designed,
    ...approvals(random, zone, clock, designed, facts),
    installedScheduled: clock.visit(7, 34),
    installComplete: clock.knockOff(facts.watts > 9_500),
    ...(facts.permitRequired
      ? inspections(random, clock)
      : { ...noInspection, inspectionPassed: clock.later(1, 4) }),
    fundingSubmitted: clock.later(0, 5),
    m2Approved: clock.later(2, 11),
    permissionToOperate: clock.later(6, 49),
    ...service(random, clock),
  }
}

/** Returns the steps from the survey to the notice to proceed. */
function design(random: Random, clock: Clock) {
  const drawn = {
    siteSurveyRequested: clock.later(0, 2),
    siteSurveyCompleted: clock.later(2, 11),
    cadRequested: clock.later(0, 2),
    cadCompleted: clock.later(1, 7),
  }
  const isRedesigned = random.chance(0.09)
  return {
    ...drawn,
    redesignCompleteDate: isRedesigned ? clock.later(1, 6) : never,
    reSignDate: isRedesigned ? clock.later(0, 5) : never,
    engineeringRequested: clock.later(0, 2),
    engineeringCompleted: clock.later(2, 11),
    ntpRequested: clock.later(0, 4),
    ntpApproved: clock.later(1, 16),
  }
}

/** Returns when the permit office and, in parallel, the homeowners' association approve. */
function approvals(
  random: Random,
  zone: Zone,
  clock: Clock,
  { engineeringCompleted, ntpApproved }: ReturnType<typeof design>,
  { hasHoa, permitRequired }: Facts,
) {
  const permit = { permitSubmitted: never, expectedPermitDeliveryDate: never, permitReceived: never }
  if (permitRequired) {
    permit.permitSubmitted = clock.later(1, 12)
    const expected = new Clock(random, zone, permit.permitSubmitted).later(12, 38)
    permit.expectedPermitDeliveryDate = dateOnly(zone, expected)
    permit.permitReceived = clock.later(4, 54)
  }
  const boardTime = (permitRequired ? permit.permitReceived : ntpApproved) - engineeringCompleted - dayMs
  const decideAt = () => engineeringCompleted + (0.2 + 0.8 * random.next()) * boardTime
  return { ...permit, hoaApproved: hasHoa ? new Clock(random, zone, decideAt()).later(0, 1) : never }
}

const noInspection = {
  inspectionRequested: never,
  inspectionFailed: never,
  reInstallScheduled: never,
  reInspectionRequested: never,
}

/**
 * Returns the inspections. One in nine fails at first, after which the crew usually returns or, less often,
 * the paperwork is corrected.
 */
function inspections(random: Random, clock: Clock) {
  const inspectionRequested = clock.later(1, 6)
  const result = clock.later(4, 20)
  if (random.chance(0.89)) return { ...noInspection, inspectionRequested, inspectionPassed: result }
  return {
    inspectionRequested,
    inspectionFailed: result,
    reInstallScheduled: random.chance(0.7) ? clock.visit(2, 9) : never,
    reInspectionRequested: clock.later(1, 4),
    inspectionPassed: clock.later(4, 14),
  }
}

/** Returns the steps of a repair after handover, which one deal in twenty needs. */
function service(random: Random, clock: Clock) {
  if (!random.chance(0.05))
    return { serviceRequested: never, serviceScheduled: never, serviceComplete: never }
  return {
    serviceRequested: clock.later(15, 150),
    serviceScheduled: clock.later(1, 6),
    serviceComplete: clock.visit(4, 18),
  }
}

/**
 * Stages in a section. `step` begins the stage, and `stops` is the fraction of deals that are canceled or put
 * on hold in the stage.
 */
const stagesOf = (section: string) =>
  table(section, { id: String, label: String, stops: Number, step: (text) => text as Step })

/** Stages of a project and of a repair after handover, in order. */
const [projectStages, serviceStages] = [stagesOf('stages'), stagesOf('service stages')]

/**
 * Returns when a deal enters a stage. Returns Infinity if the deal skips the stage, such as permit
 * preparation when no permit is needed.
 */
function enteredAt({ id, step }: (typeof projectStages)[number], steps: Steps): number {
  if (steps.permitSubmitted !== never) return steps[step]
  if (id === 'permit-preparation') return never
  return id === 'install-scheduled' ? steps.ntpApproved : steps[step]
}

export interface CurrentPosition {
  stage: { id: string; label: string }
  entered: number
  state: 'open' | 'held' | 'cancelled' | 'complete' | 'service'
  /** The steps up to this instant have happened. */
  until: number
}

/**
 * Returns the state of a deal at `today` (milliseconds). Some deals were canceled midway, and some are on
 * hold.
 */
export function currentPosition(random: Random, zone: Zone, steps: Steps, today: number): CurrentPosition {
  const stop = stopped(random, zone, steps)
  if (stop && stop.from <= today && today < stop.to) {
    const isOnHold = stop.to !== never
    return {
      stage: isOnHold ? { id: 'on-hold', label: 'On Hold' } : { id: 'cancelled', label: 'Cancelled' },
      entered: stop.from,
      state: isOnHold ? 'held' : 'cancelled',
      until: Math.min(stop.from, stop.next - 1),
    }
  }
  const isService = steps.serviceRequested <= today
  const projectState = steps.permissionToOperate <= today ? 'complete' : 'open'
  const stages = isService ? serviceStages : projectStages
  const stage = stages.findLast((of) => enteredAt(of, steps) <= today)!
  const state = isService ? 'service' : projectState
  return { stage, entered: enteredAt(stage, steps), state, until: today }
}

/**
 * Returns when and how a deal stopped in a stage before the install, if it did. One deal in fifteen is
 * canceled, and more are on hold for a few weeks. `next` is when the next stage would have begun.
 */
function stopped(random: Random, zone: Zone, steps: Steps) {
  const drawn = random.next()
  if (drawn > 0.27) return null
  const entries = projectStages
    .map((stage) => ({ weight: stage.stops, entered: enteredAt(stage, steps) }))
    .filter(({ entered }) => entered !== never)
  const entry = random.weighted(entries)
  const from = new Clock(random, zone, entry.entered).later(1, 24)
  return {
    from,
    to: drawn < 0.066 ? never : from + random.int(20, 110) * dayMs,
    next: entries[entries.indexOf(entry) + 1]?.entered ?? never,
  }
}
