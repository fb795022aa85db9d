import { hash } from 'node:crypto'
import { dateOnly } from '#db/demo/calendar.ts'
import type { Course, Happening, CurrentPosition } from '#db/demo/course.ts'
import { inspectionNote } from '#db/demo/notes.ts'
import type { DemoHomeowner } from '#db/demo/people.ts'
import { phone, type Place } from '#db/demo/places.ts'
import type { Price } from '#db/demo/price.ts'
import type { Random } from '#db/demo/random.ts'
import { signed } from '#db/demo/remarks.ts'
import { tellStory, type Portfolio, type Story } from '#db/demo/story.ts'
import type { SolarSystem } from '#db/demo/system.ts'
import type { Deal } from '#server/deals/deal.ts'

/** Returns a deal of a portfolio as of today; `createDate` in milliseconds. */
export function demoDeal(random: Random, portfolio: Portfolio, id: bigint, createDate: number): Deal {
  const story = tellStory(random, portfolio, createDate)
  const { home, owner, roof, cost, association, people, now, done } = story
  return {
    id,
    ...people,
    ...homeFields(random, home, owner, roof),
    stage: now.stage.label,
    stageId: now.stage.id,
    ...pipelineOf(now, roof),
    ...money(roof, cost),
    systemSize: kilowatts(roof.watts),
    roofType: roof.roofType,
    ...designProjects(random, id),
    ...hardware(roof),
    closerName: story.closerName,
    setterName: story.setterName,
    dealer: portfolio.name,
    lender: cost.lender,
    loanAmount: cost.loanCents === null ? null : (cost.loanCents / 100).toFixed(2),
    hoaName: association?.name ?? null,
    hoaEmail: association?.email ?? null,
    hoaNumber: association?.number ?? null,
    ...noteFields(random, story),
    hicAgreement: done('ntpRequested') ? agreementId(id) : null,
    ...flags(random, story),
    ...times(story),
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

const isoOrNull = (instant: number | null) => (instant === null ? null : iso(instant))

function kilowatts(watts: number): string {
  return (watts / 1000).toFixed(2)
}

/** Returns the id of a deal's agreement file: 72 bits, so that a million deals share none. */
export function agreementId(id: bigint): string {
  return `hic_${hash('sha256', `agreement of deal ${id}`, 'base64url').slice(0, 12)}`
}

function pipelineOf(now: CurrentPosition, { battery }: SolarSystem): Pick<Deal, 'pipelineId' | 'pipeline'> {
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

function designTool(drawn: number): 'A' | 'B' | 'C' {
  if (drawn < 0.55) return 'A'
  return drawn < 0.88 ? 'B' : 'C'
}

/** Returns the design projects: every deal is in one design tool, and some began in another. */
function designProjects(random: Random, id: bigint) {
  const number = Number(id % 10_000_000n)
  const tool = designTool(random.next())
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

function homeFields(random: Random, home: Place, owner: DemoHomeowner, { watts }: SolarSystem) {
  return {
    dealname: `${owner.lastName}, ${owner.firstName} – ${kilowatts(watts)} kW`,
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
  }
}

function hardware(roof: SolarSystem) {
  return {
    battery: roof.battery,
    inverterType: roof.inverterType,
    moduleType: roof.moduleType,
    numberOfBatteries: String(roof.batteries),
    numberOfInverters: String(roof.inverters),
    numberOfModules: String(roof.modules),
  }
}

function noteFields(random: Random, { home, people, life, done, permitRequired, remarked, followUp }: Story) {
  const failed = done('inspectionFailed')
  const passed = done('inspectionPassed')
  return {
    notes:
      remarked.notes === null
        ? null
        : signed(random, remarked.notes, people.projectManager, followUp.notesLastUpdated, home.zone),
    inspectionNotes: done('inspectionRequested')
      ? inspectionNote(random, failed ? failureOf(life) : null)
      : null,
    reInspectionResults: failed && passed ? 'Passed' : null,
    inspectionResults: inspectionResult(failed, permitRequired && passed),
  }
}

/** Returns the cause of a failed inspection; the crew returns only for its own work. */
function failureOf({ reInstallScheduled }: Course): 'papers' | 'crew' {
  return reInstallScheduled === Infinity ? 'papers' : 'crew'
}

function inspectionResult(failed: boolean, passed: boolean): 'Failed' | 'Passed' | null {
  if (failed) return 'Failed'
  return passed ? 'Passed' : null
}

function flags(random: Random, { roof, association, permitRequired, done, remarked }: Story) {
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

function times({ home, life, now, done, install, followUp }: Story) {
  const time = (happening: Happening) => (done(happening) ? iso(life[happening]) : null)
  const hasReturn = done('inspectionFailed') && life.reInstallScheduled !== Infinity
  return {
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
    installedScheduled: isoOrNull(install),
    notesLastUpdated: isoOrNull(followUp.notesLastUpdated),
    notesNextActivityDate: isoOrNull(followUp.notesNextActivityDate),
    ntpApproved: time('ntpApproved'),
    ntpRequested: time('ntpRequested'),
    permitReceived: time('permitReceived'),
    permitSubmitted: time('permitSubmitted'),
    reInspectionRequested: time('reInspectionRequested'),
    reInstallScheduled: hasReturn ? iso(life.reInstallScheduled) : null,
    reSignDate: time('reSignDate'),
    siteSurveyCompleted: time('siteSurveyCompleted'),
    siteSurveyRequested: time('siteSurveyRequested'),
    redesignCompleteDate: time('redesignCompleteDate'),
  }
}
