import { hash } from 'node:crypto'
import { Clock, dateOnly, type ClockZone } from '#db/demo/calendar.ts'
import { homeownersAssociation, phone, place } from '#db/demo/home.ts'
import { inspectionNote, remarks, signed } from '#db/demo/notes.ts'
import { type Crew, homeowner, type Staff, staffRoles } from '#db/demo/people.ts'
import type { Random } from '#db/demo/random.ts'
import { type CurrentPosition, currentPosition, planSteps, type Step, type Steps } from '#db/demo/steps.ts'
import { price, type Price, system, type SolarSystem } from '#db/demo/system.ts'
import { type Deal, dealFields } from '#server/deals/deal.ts'
import { dayMs } from '#server/values/units.ts'

/** Properties shared by a partner's deals. */
export interface Portfolio {
  slug: string
  name: string
  /** Where it sells; anywhere without. */
  states: readonly string[] | undefined
  crew: Crew
  staff: Staff
  /** Midnight UTC at the start of today, in milliseconds; nothing has happened after it. */
  today: number
}

type Sale = ReturnType<typeof makeSale>
type Story = ReturnType<typeof makeStory>

/** Returns a deal of a portfolio as of today; `createDate` in milliseconds. */
export function demoDeal(random: Random, portfolio: Portfolio, id: bigint, createDate: number): Deal {
  const sale = makeSale(random, portfolio)
  const story = makeStory(random, portfolio, sale, createDate)
  const fields: Partial<Deal> = {
    id,
    ...story.people,
    ...saleFields(random, sale),
    stage: story.now.stage.label,
    stageId: story.now.stage.id,
    ...pipelineOf(story.now, sale.roof),
    ...designProjects(random, id),
    closerName: story.closerName,
    setterName: story.setterName,
    dealer: portfolio.name,
    ...noteFields(random, sale, story),
    hicAgreement: story.done('ntpRequested') ? agreementId(id) : null,
    ...flags(random, sale, story),
    ...times(sale, story),
  }
  return Object.fromEntries(
    Object.keys(dealFields).map((name) => [name, fields[name as keyof Deal]]),
  ) as unknown as Deal
}

function makeSale(random: Random, { states }: Portfolio) {
  const home = place(random, states)
  const owner = homeowner(random)
  const roof = system(random, home)
  const cost = price(random, home, roof)
  const association = random.chance(home.hoas)
    ? { ...homeownersAssociation(random, home.landscape), number: phone(random, home.city) }
    : null
  // Some places outside city limits require neither permit nor inspection.
  return { home, owner, roof, cost, association, permitRequired: !random.chance(0.025) }
}

/** Returns everything that has happened to a deal until today. */
function makeStory(random: Random, portfolio: Portfolio, sale: Sale, createDate: number) {
  const { home, roof, association, permitRequired } = sale
  const facts = { hasHoa: association !== null, permitRequired, watts: roof.watts }
  const steps = planSteps(random, home.zone, createDate, facts)
  const now = currentPosition(random, home.zone, steps, portfolio.today)
  const done = (step: Step) => steps[step] <= now.until
  const filled = {
    projectManager: done('siteSurveyRequested'),
    ixCoordinator: done('engineeringCompleted'),
    permitCoordinator: permitRequired && done('ntpRequested'),
    postInstall: done('installComplete'),
  }
  const people = staffRoles(random, portfolio.staff, filled, portfolio.slug, home.city.state)
  const closerName = random.pickEarly(portfolio.crew.closers)
  const setterName = random.chance(0.86) ? random.pickEarly(portfolio.crew.setters) : null
  const last = lastStep(steps, now)
  const remarked = remarks(random, {
    ...sale,
    firstName: sale.owner.firstName,
    association: association?.name,
    closerName,
    manager: people.projectManager?.firstName ?? 'office',
    steps,
    now,
    last,
  })
  const isStopped = now.state === 'held' || now.state === 'cancelled'
  // Null until the house is ready, and while the deal is stopped.
  const install =
    done(permitRequired ? 'permitReceived' : 'ntpApproved') && !isStopped ? steps.installedScheduled : null
  const followUp = activity(random, home.zone, {
    today: portfolio.today,
    since: Math.max(now.entered, steps[last], done('hoaApproved') ? steps.hoaApproved : 0),
    nextBy: install !== null && install > portfolio.today + 2 * dayMs ? install : Infinity,
    hasNotes: remarked.notes !== null,
    isActive: now.state === 'open' || now.state === 'held',
  })
  return { steps, now, done, people, closerName, setterName, remarked, install, followUp }
}

/** Appointments and parallel steps, which do not show progress. */
const aside: ReadonlySet<string> = new Set([
  'installedScheduled',
  'reInstallScheduled',
  'expectedPermitDeliveryDate',
  'hoaApproved',
])

function lastStep(steps: Steps, { until }: CurrentPosition): Step {
  let last: Step = 'createDate'
  for (const [step, at] of Object.entries(steps) as [Step, number][])
    if (at <= until && at >= steps[last] && !aside.has(step)) last = step
  return last
}

interface Attention {
  today: number
  /** The time of the latest step. */
  since: number
  /** The next appointment, before which the deal is reviewed. */
  nextBy: number
  hasNotes: boolean
  isActive: boolean
}

/**
 * Returns when the note was written, when the deal is reviewed next, and when it was last modified; all in
 * milliseconds.
 */
function activity(random: Random, zone: ClockZone, { today, since, nextBy, hasNotes, isActive }: Attention) {
  const notLater = (at: number, fallback: number) => (at <= today ? at : fallback)
  const notesLastUpdated = hasNotes ? notLater(new Clock(random, zone, since).later(0, 5), since) : null
  const touched = notesLastUpdated ?? since
  return {
    notesLastUpdated,
    notesNextActivityDate:
      hasNotes && isActive ? Math.min(new Clock(random, zone, today).visit(2, 10), nextBy) : null,
    lastModified: random.chance(0.5)
      ? notLater(new Clock(random, zone, touched).later(0, 12), touched)
      : touched,
  }
}

const iso = (instant: number) => new Date(instant).toISOString()
const isoOrNull = (instant: number | null) => (instant === null ? null : iso(instant))

/** Returns the id of a deal's agreement file: 72 bits, so that a million deals share none. */
export function agreementId(id: bigint): string {
  return `hic_${hash('sha256', `agreement of deal ${id}`, 'base64url').slice(0, 12)}`
}

function pipelineOf(now: CurrentPosition, { battery }: SolarSystem): Pick<Deal, 'pipelineId' | 'pipeline'> {
  if (now.state === 'service') return { pipelineId: 'service', pipeline: 'Service' }
  if (battery !== null) return { pipelineId: 'solar-battery', pipeline: 'Solar + Battery' }
  return { pipelineId: 'residential', pipeline: 'Residential Solar' }
}

/** Returns the design projects: every deal is in one design tool, and some began in another. */
function designProjects(random: Random, id: bigint) {
  const number = Number(id % 10_000_000n)
  const drawn = random.next()
  const later = drawn < 0.88 ? 'B' : 'C'
  const tool = drawn < 0.55 ? 'A' : later
  const begunIn = random.chance(0.2) ? { A: 'B', B: 'C', C: 'A' }[tool] : null
  const project = (name: string, value: number) =>
    tool === name || begunIn === name ? `${name}-${value}` : null
  return {
    designToolAProjectId: project('A', 2_000_000 + number),
    designToolBProjectId: project('B', 400_000 + number),
    designToolCProjectId: project('C', 10_000_000 - number),
    proposalLink: `https://design-${tool.toLowerCase()}.example/proposals/${(number * 31 + 7).toString(36)}`,
  }
}

function saleFields(random: Random, { home, owner, roof, cost, association }: Sale): Partial<Deal> {
  const systemSize = (roof.watts / 1000).toFixed(2)
  return {
    dealname: `${owner.lastName}, ${owner.firstName} – ${systemSize} kW`,
    firstName: owner.firstName,
    lastName: owner.lastName,
    coordinates: home.coordinates,
    state: home.city.state,
    streetAddress: home.streetAddress,
    city: home.city.city,
    zipCode: home.zipCode,
    primaryPhone: phone(random, home.city),
    nameOnUb: owner.nameOnUb,
    utilityName: home.utilityName,
    ...money(roof, cost),
    systemSize,
    roofType: roof.roofType,
    battery: roof.battery,
    inverterType: roof.inverterType,
    moduleType: roof.moduleType,
    numberOfBatteries: String(roof.batteries),
    numberOfInverters: String(roof.inverters),
    numberOfModules: String(roof.modules),
    hoaName: association?.name ?? null,
    hoaEmail: association?.email ?? null,
    hoaNumber: association?.number ?? null,
  }
}

function money({ watts }: SolarSystem, cost: Price) {
  const { baseCentsPerWatt, adderCentsPerWatt, adders, lender, loanCents } = cost
  return {
    amount: ((baseCentsPerWatt + adderCentsPerWatt) * watts) / 100,
    totalPpw: (baseCentsPerWatt + adderCentsPerWatt) / 100,
    basePpw: baseCentsPerWatt / 100,
    adderPpw: (adderCentsPerWatt / 100).toFixed(2),
    adderCost: (adderCentsPerWatt * watts) / 100,
    adders: adders.length > 0 ? adders.join(', ') : null,
    lender,
    loanAmount: loanCents === null ? null : (loanCents / 100).toFixed(2),
  }
}

function noteFields(random: Random, { home, permitRequired }: Sale, story: Story) {
  const { steps, people, done, remarked, followUp } = story
  const failed = done('inspectionFailed')
  const passed = done('inspectionPassed')
  // The crew returns only for its own work.
  const cause = steps.reInstallScheduled === Infinity ? 'papers' : 'crew'
  const result = permitRequired && passed ? 'Passed' : null
  return {
    notes:
      remarked.notes === null
        ? null
        : signed(random, remarked.notes, people.projectManager, followUp.notesLastUpdated, home.zone),
    inspectionNotes: done('inspectionRequested') ? inspectionNote(random, failed ? cause : null) : null,
    reInspectionResults: failed && passed ? 'Passed' : null,
    inspectionResults: failed ? 'Failed' : result,
  }
}

function flags(random: Random, { roof, association, permitRequired }: Sale, { done, remarked }: Story) {
  return {
    hasBattery: roof.battery !== null,
    hasChangesToAdders: remarked.hasChangesToAdders,
    hasHoa: association !== null,
    inspectionRequired: permitRequired,
    installCompleted: done('installComplete'),
    m2Approved: done('m2Approved'),
    hasOutstandingItems: remarked.hasOutstandingItems,
    permitRequired,
    plansetMatchesAsBuilt:
      done('inspectionPassed') ||
      (done('installComplete') && !done('inspectionFailed') && random.chance(0.7)),
    scopeOfWorkPacket: done('ntpApproved') || (done('engineeringCompleted') && random.chance(0.6)),
  }
}

/** Steps that are fields of the same name, once they have happened. */
const timedSteps = [
  'createDate',
  'cadCompleted',
  'cadRequested',
  'engineeringCompleted',
  'engineeringRequested',
  'fundingSubmitted',
  'inspectionRequested',
  'installComplete',
  'ntpApproved',
  'ntpRequested',
  'permitReceived',
  'permitSubmitted',
  'reInspectionRequested',
  'reSignDate',
  'siteSurveyCompleted',
  'siteSurveyRequested',
  'redesignCompleteDate',
] as const satisfies (keyof Deal & Step)[]

function times({ home }: Sale, { steps, now, done, install, followUp }: Story): Partial<Deal> {
  const hasReturn = done('inspectionFailed') && steps.reInstallScheduled !== Infinity
  return {
    ...Object.fromEntries(timedSteps.map((step) => [step, done(step) ? iso(steps[step]) : null])),
    lastModified: iso(followUp.lastModified),
    timeInCurrentStage: iso(now.entered),
    expectedPermitDeliveryDate: done('permitSubmitted') ? iso(steps.expectedPermitDeliveryDate) : null,
    hoaApprovedDate: done('hoaApproved') ? iso(dateOnly(home.zone, steps.hoaApproved)) : null,
    installedScheduled: isoOrNull(install),
    notesLastUpdated: isoOrNull(followUp.notesLastUpdated),
    notesNextActivityDate: isoOrNull(followUp.notesNextActivityDate),
    reInstallScheduled: hasReturn ? iso(steps.reInstallScheduled) : null,
  }
}
