import { hash } from 'node:crypto'
import { dateOnly } from '#db/demo/calendar.ts'
import { course, standing, type Course, type Happening, type Standing } from '#db/demo/course.ts'
import { inspectionNote } from '#db/demo/notes.ts'
import { homeowner, type Crew } from '#db/demo/people.ts'
import { phone, place, type State } from '#db/demo/places.ts'
import { price, type Price } from '#db/demo/price.ts'
import type { Random } from '#db/demo/random.ts'
import { noteValues, addSituation, remarks, activity, signed } from '#db/demo/remarks.ts'
import { roles, type Staff } from '#db/demo/staff.ts'
import { homeownersAssociation } from '#db/demo/streets.ts'
import { system, type SolarSystem } from '#db/demo/system.ts'
import type { Deal } from '#server/deals/deal.ts'
import { dayMs } from '#server/protocol/units.ts'

/** What the deals of one partner share. */
export interface Portfolio {
  slug: string
  name: string
  states: readonly State[]
  crew: Crew
  staff: Staff
  /** Midnight UTC at the start of today, in milliseconds; nothing has happened after it. */
  today: number
}

/** Returns a deal of a portfolio as of today; `createDate` in milliseconds. */
export function demoDeal(random: Random, portfolio: Portfolio, id: bigint, createDate: number): Deal {
  const home = place(random, portfolio.states)
  const owner = homeowner(random)
  const roof = system(random, home)
  const cost = price(random, home, roof)
  const association = random.chance(home.hoas)
    ? { ...homeownersAssociation(random, home.landscape), number: phone(random, home.city) }
    : null
  // Some places outside city limits require neither permit nor inspection.
  const permitRequired = !random.chance(0.025)
  const life = course(random, home.zone, createDate, {
    hasHoa: association !== null,
    permitRequired,
    watts: roof.watts,
  })
  const now = standing(random, home.zone, life, portfolio.today)
  const done = (happening: Happening) => life[happening] <= now.until
  const time = (happening: Happening) => (done(happening) ? iso(life[happening]) : null)
  const isStopped = now.state === 'held' || now.state === 'cancelled'
  const isReady = permitRequired ? done('permitReceived') : done('ntpApproved')
  const filled = {
    projectManager: done('siteSurveyRequested'),
    ixCoordinator: done('engineeringCompleted'),
    permitCoordinator: permitRequired && done('ntpRequested'),
    postInstall: done('installComplete'),
  }
  const people = roles(random, portfolio.staff, filled, portfolio.slug, home.city.state)
  const closerName = random.pickEarly(portfolio.crew.closers)
  const setterName = random.chance(0.86) ? random.pickEarly(portfolio.crew.setters) : null
  const last = lastHappening(life, now)
  const words = noteValues(
    home,
    owner.firstName,
    roof,
    cost,
    closerName,
    people.projectManager?.firstName ?? 'office',
  )
  addSituation(words, life, now, home.zone, association?.name)
  const said = remarks(random, { life, now, last, words, otherAdders: cost.otherAdders })
  const install = isReady && !isStopped ? life.installedScheduled : null
  const followUp = activity(random, home.zone, {
    today: portfolio.today,
    since: lastInstant(life, now, last),
    nextBy: install !== null && install > portfolio.today + 2 * dayMs ? install : Infinity,
    hasNotes: said.notes !== null,
    isActive: now.state === 'open' || now.state === 'held',
  })
  const failed = done('inspectionFailed')

  return {
    id,
    ...people,
    dealname: `${owner.lastName}, ${owner.firstName} – ${kilowatts(roof.watts)} kW`,
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
    stage: now.stage.label,
    stageId: now.stage.id,
    ...pipelineOf(now, roof),
    ...money(roof, cost),
    systemSize: kilowatts(roof.watts),
    roofType: roof.roofType,
    ...designProjects(random, id),
    battery: roof.battery,
    inverterType: roof.inverterType,
    moduleType: roof.moduleType,
    numberOfBatteries: String(roof.batteries),
    numberOfInverters: String(roof.inverters),
    numberOfModules: String(roof.modules),
    closerName,
    setterName,
    dealer: portfolio.name,
    lender: cost.lender,
    loanAmount: cost.loanCents === null ? null : (cost.loanCents / 100).toFixed(2),
    hoaName: association?.name ?? null,
    hoaEmail: association?.email ?? null,
    hoaNumber: association?.number ?? null,
    notes:
      said.notes === null
        ? null
        : signed(random, said.notes, people.projectManager, followUp.notesLastUpdated, home.zone),
    inspectionNotes: done('inspectionRequested')
      ? inspectionNote(random, failed ? (life.reInstallScheduled === Infinity ? 'papers' : 'crew') : null)
      : null,
    reInspectionResults: failed && done('inspectionPassed') ? 'Passed' : null,
    inspectionResults: failed ? 'Failed' : permitRequired && done('inspectionPassed') ? 'Passed' : null,
    hicAgreement: done('ntpRequested') ? agreementId(id) : null,
    hasBattery: roof.battery !== null,
    hasChangesToAdders: said.hasChangesToAdders,
    hasHoa: association !== null,
    inspectionRequired: permitRequired,
    installCompleted: done('installComplete'),
    m2Approved: done('m2Approved'),
    hasOutstandingItems: said.hasOutstandingItems,
    permitRequired,
    plansetMatchesAsBuilt:
      done('inspectionPassed') || (done('installComplete') && !failed && random.chance(0.7)),
    scopeOfWorkPacket: done('ntpApproved') || (done('engineeringCompleted') && random.chance(0.6)),
    lastModified: iso(followUp.lastModified),
    createDate: time('createDate'),
    timeInCurrentStage: iso(now.entered),
    cadCompleted: time('cadCompleted'),
    cadRequested: time('cadRequested'),
    engineeringCompleted: time('engineeringCompleted'),
    engineeringRequested: time('engineeringRequested'),
    expectedPermitDeliveryDate: done('permitSubmitted') ? iso(life.expectedPermitDeliveryDate) : null,
    fundingSubmitted: time('fundingSubmitted'),
    hoaApprovedDate: done('hoaApproved') ? iso(dateOnly(home.zone, life.hoaApproved)) : null,
    inspectionRequested: time('inspectionRequested'),
    installComplete: time('installComplete'),
    installedScheduled: install === null ? null : iso(install),
    notesLastUpdated: followUp.notesLastUpdated === null ? null : iso(followUp.notesLastUpdated),
    notesNextActivityDate:
      followUp.notesNextActivityDate === null ? null : iso(followUp.notesNextActivityDate),
    ntpApproved: time('ntpApproved'),
    ntpRequested: time('ntpRequested'),
    permitReceived: time('permitReceived'),
    permitSubmitted: time('permitSubmitted'),
    reInspectionRequested: time('reInspectionRequested'),
    reInstallScheduled: failed && life.reInstallScheduled !== Infinity ? iso(life.reInstallScheduled) : null,
    reSignDate: time('reSignDate'),
    siteSurveyCompleted: time('siteSurveyCompleted'),
    siteSurveyRequested: time('siteSurveyRequested'),
    redesignCompleteDate: time('redesignCompleteDate'),
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function kilowatts(watts: number): string {
  return (watts / 1000).toFixed(2)
}

/** Returns the id of the agreement file of a deal: 72 bits, so that a million deals share none. */
export function agreementId(id: bigint): string {
  return `hic_${hash('sha256', `agreement of deal ${id}`, 'base64url').slice(0, 12)}`
}

function pipelineOf(now: Standing, { battery }: SolarSystem): Pick<Deal, 'pipelineId' | 'pipeline'> {
  if (now.state === 'service') return { pipelineId: 'service', pipeline: 'Service' }
  if (battery !== null) return { pipelineId: 'solar-battery', pipeline: 'Solar + Battery' }
  return { pipelineId: 'residential', pipeline: 'Residential Solar' }
}

function money({ watts }: SolarSystem, { baseCentsPerWatt, adderCentsPerWatt, adders }: Price) {
  return {
    amount: ((baseCentsPerWatt + adderCentsPerWatt) * watts) / 100,
    totalPpw: (baseCentsPerWatt + adderCentsPerWatt) / 100,
    basePpw: baseCentsPerWatt / 100,
    adderPpw: (adderCentsPerWatt / 100).toFixed(2),
    adderCost: (adderCentsPerWatt * watts) / 100,
    adders: adders.length > 0 ? adders.join(', ') : null,
  }
}

/** Returns the design projects: every deal is in one design tool, some were begun in another. */
function designProjects(random: Random, id: bigint) {
  const number = Number(id % 10_000_000n)
  const drawn = random.next()
  const tool = drawn < 0.55 ? 'A' : drawn < 0.88 ? 'B' : 'C'
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

/** Appointments and parallel steps, which say nothing about progress. */
const aside: ReadonlySet<string> = new Set([
  'installedScheduled',
  'reInstallScheduled',
  'expectedPermitDeliveryDate',
  'hoaApproved',
])

function lastHappening(life: Course, { until }: Standing): Happening {
  let last: Happening = 'createDate'
  for (const happening in life) {
    const at = life[happening as Happening]
    if (at <= until && at >= life[last] && !aside.has(happening)) last = happening as Happening
  }
  return last
}

function lastInstant(life: Course, now: Standing, last: Happening): number {
  return Math.max(now.entered, life[last], life.hoaApproved <= now.until ? life.hoaApproved : 0)
}
