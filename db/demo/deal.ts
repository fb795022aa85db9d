import { hash } from 'node:crypto'
import { Clock, dateOnly } from '#db/demo/calendar.ts'
import { homeownersAssociation, phone, place } from '#db/demo/home.ts'
import { inspectionNote, remarks } from '#db/demo/notes.ts'
import { type Crew, homeowner, type Staff, staffRoles } from '#db/demo/people.ts'
import type { Random } from '#db/demo/random.ts'
import { type CurrentPosition, currentPosition, planSteps, type Step, type Steps } from '#db/demo/steps.ts'
import { price, system, type SolarSystem } from '#db/demo/system.ts'
import { type Deal, dealFields } from '#server/deals/deal.ts'
import type { Zone } from '#server/values/zone.ts'

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
    postInstallEngineer: done('installComplete'),
    postInstallProjectManager: done('installComplete'),
  }
  const people = staffRoles(random, portfolio.staff, filled, { slug: portfolio.slug, state: home.state })
  const closerName = random.pickEarly(portfolio.crew.closers)
  const setterName = random.chance(0.86) ? random.pickEarly(portfolio.crew.setters) : null
  const last = lastStep(steps, now)
  const remarked = remarks(random, {
    ...sale,
    firstName: sale.owner.firstName,
    closerName,
    steps,
    now,
    last,
  })
  const isStopped = now.state === 'held' || now.state === 'cancelled'
  // Null until the house is ready, and while the deal is stopped.
  const install =
    done(permitRequired ? 'permitReceived' : 'ntpApproved') && !isStopped ? steps.installedScheduled : null
  const since = Math.max(now.entered, steps[last], done('hoaApproved') ? steps.hoaApproved : 0)
  const isActive = now.state === 'open' || now.state === 'held'
  const followUp =
    remarked.notes === null ? null : activity(random, home.zone, { today: portfolio.today, since, isActive })
  return { steps, now, done, people, closerName, setterName, remarked, install, since, followUp }
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

/** Returns when the note was written, and when the deal is reviewed next; both in milliseconds. */
function activity(random: Random, zone: Zone, { today, since, isActive }: Attention) {
  const written = new Clock(random, zone, since).later(0, 5)
  return {
    notesLastUpdated: written <= today ? written : since,
    notesNextActivityDate: isActive ? new Clock(random, zone, today).visit(2, 10) : null,
  }
}

interface Attention {
  today: number
  /** The time of the latest step. */
  since: number
  isActive: boolean
}

const iso = (instant: number) => new Date(instant).toISOString()
const isoOrNull = (instant: number | null) => (instant === null ? null : iso(instant))

/** Returns the id of a deal's agreement file: 72 bits, so that a million deals share none. */
function agreementId(id: bigint): string {
  return `hic_${hash('sha256', `agreement of deal ${id}`, 'base64url').slice(0, 12)}`
}

function pipelineOf(now: CurrentPosition, { battery }: SolarSystem): Pick<Deal, 'pipelineId' | 'pipeline'> {
  if (now.state === 'service') return { pipelineId: 'service', pipeline: 'Service' }
  if (battery !== null) return { pipelineId: 'solar-battery', pipeline: 'Solar + Battery' }
  return { pipelineId: 'residential', pipeline: 'Residential Solar' }
}

/** Returns the design project of a deal, which is in one of three tools. */
function designProjects(random: Random, id: bigint) {
  const number = Number(id % 10_000_000n)
  const tool = random.pick(['A', 'A', 'B', 'C'])
  const project = (name: string) => (tool === name ? `${name}-${number}` : null)
  return {
    designToolAProjectId: project('A'),
    designToolBProjectId: project('B'),
    designToolCProjectId: project('C'),
    proposalLink: `https://design-${tool.toLowerCase()}.example/proposals/${(number * 31 + 7).toString(36)}`,
  }
}

function saleFields(random: Random, { home, owner, roof, cost, association }: Sale): Partial<Deal> {
  const { baseCentsPerWatt: base, adderCentsPerWatt: extra, adders, lender, loanCents } = cost
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
    amount: ((base + extra) * roof.watts) / 100,
    totalPpw: (base + extra) / 100,
    basePpw: base / 100,
    adderPpw: (extra / 100).toFixed(2),
    adderCost: (extra * roof.watts) / 100,
    adders: adders.length > 0 ? adders.join(', ') : null,
    lender,
    loanAmount: loanCents === null ? null : (loanCents / 100).toFixed(2),
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

function noteFields(random: Random, { permitRequired }: Sale, { done, remarked }: Story) {
  const failed = done('inspectionFailed')
  const passed = permitRequired && done('inspectionPassed')
  return {
    notes: remarked.notes,
    inspectionNotes: done('inspectionRequested') ? inspectionNote(random, failed) : null,
    reInspectionResults: failed && passed ? 'Passed' : null,
    inspectionResults: passed ? 'Passed' : null,
    ...(failed && { inspectionResults: 'Failed' }),
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
    scopeOfWorkPacket: done('ntpApproved'),
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

function times({ home }: Sale, { steps, now, done, install, since, followUp }: Story): Partial<Deal> {
  const hasReturn = done('inspectionFailed') && steps.reInstallScheduled !== Infinity
  return {
    ...Object.fromEntries(timedSteps.map((step) => [step, done(step) ? iso(steps[step]) : null])),
    lastModified: iso(followUp?.notesLastUpdated ?? since),
    timeInCurrentStage: iso(now.entered),
    expectedPermitDeliveryDate: done('permitSubmitted') ? iso(steps.expectedPermitDeliveryDate) : null,
    hoaApprovedDate: done('hoaApproved') ? iso(dateOnly(home.zone, steps.hoaApproved)) : null,
    installedScheduled: isoOrNull(install),
    notesLastUpdated: isoOrNull(followUp?.notesLastUpdated ?? null),
    notesNextActivityDate: isoOrNull(followUp?.notesNextActivityDate ?? null),
    reInstallScheduled: hasReturn ? iso(steps.reInstallScheduled) : null,
  }
}
