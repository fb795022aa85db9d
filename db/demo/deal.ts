import { hash } from 'node:crypto'
import { Clock, dateOnly } from '#db/demo/calendar.ts'
import { homeownersAssociation, phone, place } from '#db/demo/home.ts'
import { inspectionNote, noteOf } from '#db/demo/notes.ts'
import { type crew, homeowner, type Staff, staffRoles } from '#db/demo/people.ts'
import type { Random } from '#db/demo/random.ts'
import { type CurrentPosition, currentPosition, planSteps, type Step } from '#db/demo/steps.ts'
import { price, system } from '#db/demo/system.ts'
import { type Deal, dealFields } from '#server/deals/deal.ts'

/** Properties shared by a partner's deals. */
export interface Portfolio {
  slug: string
  name: string
  /** States in which the partner sells. If not set, the partner sells everywhere. */
  states?: readonly string[]
  crew: ReturnType<typeof crew>
  staff: Staff
  /** Midnight UTC at the start of today, in milliseconds. Nothing has happened after this time. */
  today: number
}

type Sale = ReturnType<typeof makeSale>
type Story = ReturnType<typeof makeStory>

/** Returns a deal of a portfolio as of today. `createDate` is in milliseconds. */
export function demoDeal(random: Random, portfolio: Portfolio, id: bigint, createDate: number): Deal {
  const sale = makeSale(random, portfolio)
  const { home, owner, roof, cost, association } = sale
  const story = makeStory(random, portfolio, sale, createDate)
  const { stage } = story.now
  // Uses 72 bits, so that no two of a million deals share an agreement.
  const agreementId = `hic_${hash('sha256', `agreement of deal ${id}`, 'base64url').slice(0, 12)}`
  const fields: Partial<Deal> = {
    id,
    ...story.fields,
    ...owner,
    ...home.fields,
    ...roof.fields,
    ...cost.fields,
    ...association,
    dealname: `${owner.lastName}, ${owner.firstName} – ${roof.fields.systemSize} kW`,
    primaryPhone: phone(random, home),
    stage: stage.label,
    stageId: stage.id,
    ...pipelineOf(story.now, roof.fields.battery),
    ...designProject(random, id),
    dealer: portfolio.name,
    ...noteFields(random, sale, story),
    hicAgreement: story.done('ntpRequested') ? agreementId : null,
    ...times(sale, story),
    ...flags(random, sale, story),
  }
  return Object.fromEntries(
    Object.keys(dealFields).map((name) => [name, fields[name as keyof Deal] ?? null]),
  ) as unknown as Deal
}

function makeSale(random: Random, { states }: Portfolio) {
  const home = place(random, states)
  const owner = homeowner(random)
  const roof = system(random, home)
  const cost = price(random, home, roof)
  const association = random.chance(home.hoas) ? homeownersAssociation(random, home) : null
  // Some homes outside city limits require neither permit nor inspection.
  return { home, owner, roof, cost, association, permitRequired: !random.chance(0.025) }
}

/** Returns everything that has happened to a deal up to today. */
function makeStory(random: Random, portfolio: Portfolio, sale: Sale, createDate: number) {
  const { home, owner, roof, association, permitRequired } = sale
  const { slug, today, crew, staff } = portfolio
  const facts = { hasHoa: association !== null, permitRequired, watts: roof.watts }
  const steps = planSteps(random, home.zone, createDate, facts)
  const now = currentPosition(random, home.zone, steps, today)
  const done = (step: Step) => steps[step] <= now.until
  const { permitCoordinator, ...others } = staffRoles(random, staff, done, { slug, state: home.state })
  const closerName = random.pickEarly(crew.closers)
  const setterName = random.chance(0.86) ? random.pickEarly(crew.setters) : null
  const passed = (Object.keys(steps) as Step[]).filter((step) => done(step) && !aside.has(step))
  const last = passed.toSorted((a, b) => steps[a] - steps[b]).at(-1)!
  const notes = noteOf(random, { ...sale, firstName: owner.firstName, closerName, steps, now, last })
  const isStopped = now.state === 'held' || now.state === 'cancelled'
  const since = Math.max(now.entered, steps[last], done('hoaApproved') ? steps.hoaApproved : 0)
  const hasNotes = notes !== null
  const written = hasNotes ? new Clock(random, home.zone, since).later(0, 5) : since
  const isReviewed = hasNotes && (now.state === 'open' || now.state === 'held')
  return {
    steps,
    now,
    done,
    notes,
    fields: { ...others, ...(permitRequired && { permitCoordinator }), closerName, setterName, notes },
    // Null until the house is ready, and while the deal is stopped.
    install:
      done(permitRequired ? 'permitReceived' : 'ntpApproved') && !isStopped ? steps.installedScheduled : null,
    modified: written <= today ? written : since,
    nextActivity: isReviewed ? new Clock(random, home.zone, today).visit(2, 10) : null,
  }
}

/** Appointments and parallel steps, which do not indicate progress. */
const aside: ReadonlySet<string> = new Set([
  'installedScheduled',
  'reInstallScheduled',
  'expectedPermitDeliveryDate',
  'hoaApproved',
])

const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString())

function pipelineOf({ state }: CurrentPosition, battery: string | null) {
  if (state === 'service') return { pipelineId: 'service', pipeline: 'Service' }
  if (battery !== null) return { pipelineId: 'solar-battery', pipeline: 'Solar + Battery' }
  return { pipelineId: 'residential', pipeline: 'Residential Solar' }
}

/** Returns the design project of a deal, which was created in one of three design tools. */
function designProject(random: Random, id: bigint): Partial<Deal> {
  const number = Number(id % 10_000_000n)
  const tool = random.pick(['A', 'A', 'B', 'C'] as const)
  return {
    [`designTool${tool}ProjectId`]: `${tool}-${number}`,
    proposalLink: `https://design-${tool.toLowerCase()}.example/proposals/${(number * 31 + 7).toString(36)}`,
  }
}

function noteFields(random: Random, { permitRequired }: Sale, { done }: Story) {
  const failed = done('inspectionFailed')
  const result = permitRequired && done('inspectionPassed') ? 'Passed' : null
  return {
    inspectionNotes: done('inspectionRequested') ? inspectionNote(random, failed) : null,
    inspectionResults: failed ? 'Failed' : result,
    reInspectionResults: failed ? result : null,
  }
}

function flags(random: Random, { roof, association, permitRequired }: Sale, { done, notes }: Story) {
  return {
    hasBattery: roof.fields.battery !== null,
    hasChangesToAdders: notes?.startsWith('Change order:') ?? false,
    hasHoa: association !== null,
    inspectionRequired: permitRequired,
    installCompleted: done('installComplete'),
    m2Approved: done('m2Approved'),
    hasOutstandingItems: notes?.startsWith('Outstanding:') ?? false,
    permitRequired,
    plansetMatchesAsBuilt:
      done('inspectionPassed') ||
      (done('installComplete') && !done('inspectionFailed') && random.chance(0.7)),
    scopeOfWorkPacket: done('ntpApproved'),
  }
}

function times({ home }: Sale, { steps, now, done, install, modified, nextActivity, notes }: Story) {
  const hasReturn = done('inspectionFailed') && steps.reInstallScheduled !== Infinity
  const isKnown = (step: string) => !aside.has(step) && done(step as Step)
  return {
    // Most steps are fields of the same name.
    ...Object.fromEntries(
      Object.entries(steps).flatMap(([step, at]) => (isKnown(step) ? [[step, iso(at)]] : [])),
    ),
    lastModified: iso(modified),
    timeInCurrentStage: iso(now.entered),
    expectedPermitDeliveryDate: done('permitSubmitted') ? iso(steps.expectedPermitDeliveryDate) : null,
    hoaApprovedDate: done('hoaApproved') ? iso(dateOnly(home.zone, steps.hoaApproved)) : null,
    installedScheduled: iso(install),
    notesLastUpdated: notes === null ? null : iso(modified),
    notesNextActivityDate: iso(nextActivity),
    reInstallScheduled: hasReturn ? iso(steps.reInstallScheduled) : null,
  }
}
