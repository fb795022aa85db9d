import { beforeAll, describe, expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { writeCountedDeals } from '#e2e/counted-deals.ts'
import { erase, randomFrom } from '#e2e/erased-deals.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import { type PartnerId, type TenantScope, ownerOf } from '../accounts/partner.ts'
import { updateUser } from '../accounts/user-store.ts'
import { assignDeals } from '../deals/assignee-store.ts'
import { flagFields, roleFields, timeFields } from '../deals/columns.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { type DealField, type DealRecord, type KnownDeal, type Person, valueFields } from '../deals/deal.ts'
import { evidenceOf } from '../deals/evidence.ts'
import { type StepNow, daysTaken, flowFields, flowSteps, stepNow, stepsNow } from '../deals/flow.ts'
import { milestones } from '../deals/milestone.ts'
import { parseKnown } from '../deals/render.ts'
import { fold } from '../deals/search-text.ts'
import { statusOf, stepsOf } from '../deals/status.ts'
import { timelineOf } from '../deals/timeline.ts'
import type { Services } from '../runtime/services.ts'
import { classifyStage, isClosed } from '../stages/stage.ts'
import { type Counties, loadCounties, stateOfCounty } from '../values/counties.ts'
import { pointOf } from '../values/point.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, addDays, dayOf, utc } from '../values/zone.ts'
import { type Filter, type FilterInput, filters, keyOfMark, markNames, missableNumbers } from './filters.ts'
import { resolveQuery } from './resolve-query.ts'
import { findFirst } from './store.ts'
import { DealFilter, initialSort } from './wire.ts'

const database = useDatabase()
let tenant: TenantScope
let deals: KnownDeal[]
/** The viewer and a colleague, to whom deals are assigned. */
let viewerId: number
const assigned = new Map<bigint, string>()
let counties: Counties
const now = new Date()
const changedId = 1n
const zones = [utc, 'America/Los_Angeles', 'Pacific/Kiritimati'] as Zone[]
/** The time zone of the filter under test. */
let zone = utc
const today = () => dayOf(now, zone)
const email = () => deals.find(({ projectManager }) => projectManager?.email)!.projectManager!.email!

const day = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()
const date = (days: number) => `${day(days).slice(0, 10)}T00:00:00.000Z`

const surveyed = { createDate: day(90), siteSurveyCompleted: date(80) }
const designed = { ...surveyed, cadCompleted: day(75), engineeringCompleted: day(70.5) }
const ready = { ...designed, ntpApproved: date(60) }
const installed = { ...ready, permitReceived: day(40), installComplete: date(20) }
const edges: Partial<DealRecord>[] = [
  { stage: 'Permit Submitted' },
  {},
  { createDate: day(0) },
  { createDate: day(-2) },
  { createDate: date(0) },
  { createDate: day(9), siteSurveyRequested: day(8) },
  { createDate: day(9), siteSurveyCompleted: day(10) },
  { createDate: day(9), siteSurveyCompleted: date(9) },
  { createDate: day(9), siteSurveyCompleted: date(-1) },
  surveyed,
  { ...surveyed, engineeringCompleted: day(70) },
  { siteSurveyCompleted: day(4), cadCompleted: date(-1) },
  designed,
  { ...designed, ntpRequested: day(3) },
  { ...designed, permitSubmitted: day(3) },
  ready,
  { ...ready, permitRequired: true },
  { ...ready, permitRequired: true, permitSubmitted: date(30) },
  { ...ready, permitRequired: true, permitSubmitted: date(-1) },
  { ...ready, permitSubmitted: day(65), permitReceived: day(40) },
  { ...ready, permitSubmitted: day(30), permitReceived: day(40) },
  { ...ready, installComplete: day(3) },
  { ...ready, permitRequired: true, installComplete: day(3) },
  { ...ready, installCompleted: true },
  installed,
  { ...installed, reInstallScheduled: day(5) },
  { ...installed, stage: 'On hold' },
  { ...installed, stage: 'Cancelled' },
  { ...installed, stage: '' },
  { ...installed, fundingSubmitted: day(10) },
  { ...installed, fundingSubmitted: day(10), m2Approved: true },
  { ...installed, m2Approved: true },
  { ...installed, fundingSubmitted: date(10), stage: 'Funded', timeInCurrentStage: day(2) },
  { ...installed, fundingSubmitted: date(10), stage: 'Funded', timeInCurrentStage: day(12) },
  { stage: 'Funded' },
  { stage: 'HOA Review', hasHoa: true },
  { ...ready, stage: 'Permit Preparation' },
  { ...ready, stage: 'Install Scheduled', permitRequired: false },
  { ...ready, stage: 'Install Scheduled', installedScheduled: date(1) },
  { ...ready, stage: 'Install Scheduled', installedScheduled: date(0) },
  { ...ready, stage: 'Install Scheduled', installedScheduled: day(1) },
  { ...ready, stage: 'Permit Submitted', permitSubmitted: day(3), expectedPermitDeliveryDate: date(2) },
  { ...installed, stage: 'Install Complete' },
  { ...installed, stage: 'Awaiting PTO', fundingSubmitted: day(3) },
  { stage: 'CAD Design' },
  { stage: 'CAD Design', siteSurveyCompleted: day(9) },
]

const random = randomFrom(7)
/** Deals without some of their fields. Every fourth has no stage. */
const incomplete = [...demoDeals({ partner: demoPartners[1]!, count: 80, firstId: 1n, now })].map(
  (deal, index) => {
    const { id: _, ...left } = erase(deal, random, {
      chance: 0.1 + 0.6 * random(),
      isStageErased: index % 4 === 3,
    })
    return left
  },
)

beforeAll(async () => {
  counties = await loadCounties()
  ;({ tenant } = await writeCountedDeals(database.db, {
    perPartner: 60,
    edges: [...edges, ...incomplete],
    now,
  }))
  const record = { id: changedId, stage: 'Install Scheduled' }
  await writeDeals(database.db, [{ record, partnerId: ownerOf(tenant) }], { now, events: true })
  const found = await findFirst(database.db, { tenant, filter: {}, zone: utc }, initialSort, 5000)
  deals = found.map(({ json, given }) => parseKnown(json, given))
  const partnerId = tenant as PartnerId
  const [ana, ben] = await Promise.all(
    ['Ana', 'Ben'].map(async (name) => {
      const { actor } = await signedIn({ db: database.db } as Services, { role: 'member', partnerId })
      await database.db.transaction((tx) => updateUser(tx, actor.user.id, { name }))
      return { id: actor.user.id, name }
    }),
  )
  viewerId = ana!.id
  for (const [index, { id, name }] of [ana!, ben!].entries()) {
    const ids = deals.slice(index * 5, index * 5 + 5).map((deal) => deal.id)
    await database.db.transaction((tx) => assignDeals(tx, partnerId, id, { ids, userId: id }))
    for (const dealId of ids) assigned.set(dealId, name)
  }
})

const stageOf = (deal: KnownDeal) => classifyStage(deal.stage ?? '')
const statusNow = (deal: KnownDeal) => statusOf(deal, stageOf(deal), Date.now())
const isIn = (value: string | null, texts: readonly string[]) => texts.includes(value ?? '')
const isWithin = (value: number | null, { min = -Infinity, max = Infinity }) =>
  value !== null && value >= min && value <= max
const kilowattsOf = ({ systemSize }: KnownDeal) =>
  systemSize === null ? null : Number.parseFloat(systemSize)
const isOn = (time: string | null, { from = '0001', to = '9999' }) =>
  time !== null && dayOf(time, zone) >= from && dayOf(time, zone) <= to
const peopleOf = (deal: KnownDeal) =>
  roleFields.flatMap((role) => {
    const person = deal[role] as Person | string | null
    if (person === null) return []
    if (typeof person === 'string') return [{ role, name: person, email: null }]
    return [{ role, name: `${person.firstName} ${person.lastName}`, email: person.email }]
  })
/** Returns a deal's coordinates and the FIPS code of its state, or null outside all counties. */
function countyOf({ coordinates }: KnownDeal) {
  const point = pointOf(coordinates ?? '')
  const county = point && counties.at(point)
  return point === null || county === null ? null : { point, state: stateOfCounty(county) }
}
const textFields: DealField[] = [
  'dealname',
  'firstName',
  'lastName',
  'nameOnUb',
  'streetAddress',
  'city',
  'utilityName',
]
const isLate = (deal: KnownDeal) =>
  timelineOf(deal, stageOf(deal), Date.now(), zone).some(({ state }) => state === 'late')
const milestoneOfEnd = (end: string) =>
  milestones.find(({ dates }) => dates.some(({ field }) => field === end))!.name

/** The meaning of each filter, implemented in JavaScript. */
const rules: {
  [Key in keyof FilterInput]-?: (
    deal: KnownDeal,
    value: NonNullable<FilterInput[Key]>,
    filter: FilterInput,
  ) => boolean
} = {
  search: (deal, text) =>
    textFields.some((field) =>
      fold(String(deal[field] ?? ''))
        .split(/[^\p{L}\p{N}]+/u)
        .some((word) => word.startsWith(fold(text))),
    ),
  stages: ({ stage }, texts) => isIn(stage, texts),
  pipelines: ({ pipeline }, texts) => isIn(pipeline, texts),
  states: ({ state }, texts) => isIn(state, texts),
  places: (deal, [place]) => (place === '' ? countyOf(deal) === null : countyOf(deal)?.state === 4),
  area: (deal, { west, south, east, north }) => {
    const point = countyOf(deal)?.point
    return (
      isWithin(point?.latitude ?? null, { min: south, max: north }) &&
      isWithin(point?.longitude ?? null, { min: west, max: east })
    )
  },
  people: (deal, names) => peopleOf(deal).some(({ name }) => names.includes(name)),
  roles: (deal, roles, { people = [] }) =>
    peopleOf(deal).some(({ name, role }) => people.includes(name) && roles.includes(role)),
  partners: (_, names) => names.includes('A partner'),
  flags: (deal, flags) =>
    flagFields.every((field) => flags[field] === undefined || deal[field] === flags[field]),
  present: (deal, fields) => fields.every((field) => deal[field] !== null),
  missing: (deal, fields) => fields.every((field) => deal[field] === null),
  done: (deal, names) => names.every((name) => (statusNow(deal).done & stepsOf([name])) !== 0),
  todo: (deal, names) => names.every((name) => (statusNow(deal).toDo & stepsOf([name])) !== 0),
  lateWith: (deal, [name]) => isLate(deal) && statusNow(deal).dueStep === name,
  gates: (deal, gates) => gates.some((gate) => gate === statusNow(deal).gate),
  holds: (deal, holds) => holds.includes(statusNow(deal).hold),
  inStep: (deal, steps) => {
    const stage = stageOf(deal)
    const step = statusNow(deal).flowStep ?? 'unknown'
    if (stage.kind !== 'open' || steps[step] === undefined) return false
    const at = stepNow(deal, stage.kind, evidenceOf(deal, stage, Date.now()), Date.now(), zone)
    return steps[step] === 0 || (at !== null && at.days >= steps[step])
  },
  took: (deal, steps) =>
    steps.every((step) => daysTaken(deal, stageOf(deal).kind, step, Date.now(), zone) !== null),
  reached: (deal, reaches) => reaches.includes(statusNow(deal).reached),
  isOpen: (deal) => !isClosed(stageOf(deal).kind),
  isLate,
  isLost: (deal) => stageOf(deal).kind === 'lost',
  isNotLost: (deal) => stageOf(deal).kind !== 'lost',
  isActive: (deal) => stageOf(deal).kind === 'open',
  isOnHold: (deal) => stageOf(deal).kind === 'on-hold',
  isPaid: (deal) => stageOf(deal).kind === 'won',
  isPayable: (deal) => statusNow(deal).gate !== null,
  isMine: (deal) => peopleOf(deal).some((person) => person.email === email()),
  isUndated: (deal) =>
    flowSteps
      .filter((step) => step !== 'payment')
      .map((step) => flowFields[step].to)
      .some((end) => deal[end] === null && (statusNow(deal).done & stepsOf([milestoneOfEnd(end)])) !== 0),
  dates: (deal, dates) =>
    timeFields.every((field) => dates[field] === undefined || isOn(deal[field], dates[field])),
  values: (deal, values) =>
    valueFields.every((field) => values[field] === undefined || isIn(deal[field], values[field])),
  amount: ({ amount }, range) => isWithin(amount, range),
  size: (deal, range) => isWithin(kilowattsOf(deal), range),
  assignees: ({ id }, names) =>
    names.includes(assigned.get(id) ?? '') || (names.includes('me') && assigned.get(id) === 'Ana'),
  news: ({ id }, { updated, moved }) =>
    id === changedId && [updated, moved].some((days) => days !== undefined && isOn(now.toISOString(), days)),
}

/** Returns a filter for each possible value. */
function samplesOf(name: string, filter: Filter): FilterInput[] {
  const samplesOf = (key: string, values: readonly unknown[]) => values.map((value) => ({ [key]: value }))
  switch (filter.kind) {
    case 'search':
      return samplesOf(filter.key, [deals.find(({ lastName }) => lastName)!.lastName!.slice(0, 4)])
    case 'texts':
      return samplesOf(filter.key, textsOf[filter.key]!())
    case 'names': {
      const ofFields = {
        time: timeFields,
        flag: flagFields,
        role: roleFields,
        missable: [...timeFields, ...missableNumbers],
      }
      const known = typeof filter.names === 'string' ? ofFields[filter.names] : Object.keys(filter.names)
      const samples = samplesOf(
        filter.key,
        known.map((value) => [value]),
      )
      return filter.narrows === undefined
        ? samples
        : samples.map((sample) => ({ people: [closer()], ...sample }))
    }
    case 'flags':
      return flagFields.map((field) => ({ flags: { [field]: filter.wanted } }))
    case 'marks':
      return markNames.map((mark) => ({ [keyOfMark(mark)]: true }))
    case 'waits':
      return samplesOf(filter.key, [
        { unknown: 0, permit: 0 },
        ...stepsNow.flatMap((step) => [{ [step]: 0 }, ...(step === 'unknown' ? [] : [{ [step]: 10 }])]),
      ])
    case 'range': {
      const values = deals.map(name === 'size' ? kilowattsOf : ({ amount }) => amount)
      const known = values.filter((value) => value !== null).toSorted((x, y) => x - y)
      const [min, max] = [known[known.length >> 2]!, known[known.length >> 1]!]
      return samplesOf(filter.key, [{ min }, { max }, { min, max }])
    }
    case 'area':
      return [{ area: { west: -113, south: 33, east: -111, north: 34 } }]
    case 'days':
      if (filter.names !== 'time')
        return samplesOf(
          filter.key,
          Object.keys(filter.names).flatMap((kind) => [
            { [kind]: { from: today() } },
            { [kind]: { to: addDays(today(), -1) } },
          ]),
        )
      return samplesOf(
        filter.key,
        timeFields.map((field) => ({ [field]: { from: addDays(today(), -60), to: today() } })),
      )
    case 'values':
      return samplesOf(
        'values',
        valueFields.flatMap((field) => [
          { [field]: [deals.find((deal) => deal[field])![field]] },
          { [field]: [''] },
        ]),
      )
  }
}

const closer = () => deals.find(({ closerName }) => closerName !== null)!.closerName!
const textsOf: Record<string, () => string[][]> = {
  stages: () => [['Permit Submitted', 'Complete', 'no such'], ['']],
  pipelines: () => [[deals.find(({ pipeline }) => pipeline)!.pipeline!]],
  states: () => [['AZ'], ['']],
  places: () => [['Arizona'], ['']],
  people: () => [[closer()], ['Nobody']],
  partners: () => [['A partner'], ['Another']],
  assignees: () => [['me'], ['Ana', 'Ben'], [''], ['me', ''], ['Nobody']],
}

describe.each(Object.entries<Filter>(filters))('the filter %s', (name, filter) => {
  const dependsOnZone = ['waits', 'marks', 'days'].includes(filter.kind) || ['late', 'took'].includes(name)
  test.each(dependsOnZone ? zones : [utc])(
    'finds exactly the deals that match its rule in %s',
    async (sampleZone) => {
      zone = sampleZone
      let count = 0
      for (const sample of samplesOf(name, filter)) {
        expect(DealFilter.parse(sample)).toEqual(sample)
        const query = await resolveQuery({ tenant, zone, user: { id: viewerId, email: email() } }, sample)
        const found = await findFirst(database.db, query, initialSort, 5000)
        const wanted = deals.filter((deal) =>
          Object.entries(sample).every(([key, value]) =>
            (rules[key as keyof FilterInput] as (...values: unknown[]) => boolean)(deal, value, sample),
          ),
        )
        const ids = (list: { id: bigint }[]) => list.map(({ id }) => id).toSorted()
        expect(ids(found.map(({ cursor }) => cursor)), JSON.stringify(sample)).toEqual(ids(wanted))
        if (name === 'took' || sample.inStep?.[Object.keys(sample.inStep)[0] as StepNow] === 0)
          expect(wanted, JSON.stringify(sample)).not.toEqual([])
        count += wanted.length
      }
      expect(count).toBeGreaterThan(0)
    },
  )

  test('rejects invalid values', () => {
    for (const key of new Set(samplesOf(name, filter).flatMap((sample) => Object.keys(sample))))
      for (const rubbish of [12, [12], [['x']], 'x'.repeat(201), { no: 'x', min: 'x' }, Array(201).fill('x')])
        expect(DealFilter.safeParse({ [key]: rubbish }).success, `${key} ${String(rubbish)}`).toBe(false)
    if (filter.kind === 'names' && typeof filter.names === 'object' && filter.max !== undefined)
      expect(DealFilter.safeParse({ [filter.key]: Object.keys(filter.names) }).success).toBe(false)
  })
})
