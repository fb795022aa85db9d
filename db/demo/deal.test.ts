import { expect, test } from 'vitest'
import { agreementId } from '#db/demo/deal.ts'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { cities } from '#db/demo/home.ts'
import type { Deal, Person } from '#server/deals/deal.ts'

const now = new Date('2026-03-05T18:20:00Z')
const deals = demoPartners.flatMap((partner) => [
  ...demoDeals({ partner, count: partner.deals, firstId: partner.firstId, now }),
])

function offenders(holds: (deal: Deal) => boolean): Deal[] {
  return deals.filter((deal) => !holds(deal))
}

/** Returns the number of distinct values. */
function kinds(of: (deal: Deal) => unknown): number {
  return new Set(deals.map(of)).size
}

const roles = [
  'owner',
  'projectManager',
  'postInstallEngineer',
  'postInstallProjectManager',
  'ixCoordinator',
  'permitCoordinator',
] as const

test('homeowners have varied names; the utility bill has the family name; the deal has their name and the size', () => {
  expect(kinds(({ firstName }) => firstName)).toBeGreaterThan(150)
  expect(kinds(({ lastName }) => lastName)).toBeGreaterThan(150)
  expect(kinds(({ firstName, lastName }) => `${firstName} ${lastName}`)).toBeGreaterThan(0.75 * deals.length)
  expect(offenders((deal) => (deal.nameOnUb as string).endsWith(` ${deal.lastName}`))).toEqual([])
  expect(
    offenders((deal) => deal.dealname === `${deal.lastName}, ${deal.firstName} – ${deal.systemSize} kW`),
  ).toEqual([])
})

test('the partner is the dealer of its deals and has its own permanent crew', () => {
  const crews = demoPartners.map(({ name }) => {
    const own = deals.filter(({ dealer }) => dealer === name)
    const closers = new Set(own.map(({ closerName }) => closerName as string))
    const setters = new Set(own.flatMap(({ setterName }) => setterName ?? []))
    expect(closers.size).toBeLessThan(16)
    expect(setters.size).toBeLessThan(20)
    expect([...closers].filter((name) => setters.has(name))).toEqual([])
    return closers
  })
  expect(offenders(({ dealer }) => demoPartners.some(({ name }) => name === dealer))).toEqual([])
  expect(crews.every(({ size }) => size >= 8)).toBe(true)
})

test('assigns one person per role, from the start of its work', () => {
  const staff = new Map<bigint, Person>()
  for (const deal of deals) {
    for (const person of roles.flatMap((role) => deal[role] ?? [])) {
      expect(staff.get(person.id) ?? person).toEqual(person)
      staff.set(person.id, person)
    }
  }
  const people = [...staff.values()]
  expect(people.length).toBeGreaterThanOrEqual(20)
  expect(people.length).toBeLessThanOrEqual(30)
  for (const key of ['userId', 'email'] as const)
    expect(new Set(people.map((person) => person[key])).size).toBe(people.length)
  expect(new Set(people.map(({ teams }) => teams)).size).toBe(
    new Set(people.map(({ crmTeamId }) => crmTeamId)).size,
  )
  expect(people.filter(({ email }) => !/^[a-z.]+@[a-z]+\.example$/.test(email as string))).toEqual([])
  expect(
    people.filter(
      ({ createdAt, updatedAt }) =>
        !((createdAt as string) < (updatedAt as string) && (updatedAt as string) < now.toISOString()),
    ),
  ).toEqual([])
  expect(
    offenders(
      (deal) => deal.owner !== null && (deal.projectManager !== null) === (deal.siteSurveyRequested !== null),
    ),
  ).toEqual([])
  expect(offenders((deal) => (deal.ixCoordinator !== null) === (deal.engineeringCompleted !== null))).toEqual(
    [],
  )
  expect(
    offenders(
      (deal) => (deal.permitCoordinator !== null) === (deal.permitRequired && deal.ntpRequested !== null),
    ),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        (deal.postInstallEngineer !== null) === deal.installCompleted &&
        (deal.postInstallProjectManager !== null) === deal.installCompleted,
    ),
  ).toEqual([])
})

/** First three digits of the zip codes, and the area codes, of each state (USPS L002; NANPA). */
const stateFacts: Record<string, { zips: [number, number]; areas: string }> = {
  AZ: { zips: [850, 865], areas: '480 520 602 623 928' },
  CA: { zips: [900, 961], areas: '209 323 408 559 619 661 714 760 909 916 951' },
  NV: { zips: [889, 898], areas: '702 775' },
  NM: { zips: [870, 884], areas: '505 575' },
  UT: { zips: [840, 847], areas: '435 801' },
  CO: { zips: [800, 816], areas: '303 719 970' },
  TX: { zips: [750, 799], areas: '210 214 512 713 806 817 915 940 972' },
  FL: { zips: [320, 349], areas: '305 352 407 772 813 863 904 954' },
  NC: { zips: [270, 289], areas: '336 704 910 919' },
}

const utilities: Record<string, string[]> = {
  Phoenix: ['Arizona Public Service', 'Salt River Project'],
  Tucson: ['Tucson Electric Power'],
  'San Diego': ['San Diego Gas & Electric'],
  'Los Angeles': ['Los Angeles Department of Water and Power'],
  Sacramento: ['Sacramento Municipal Utility District'],
  'Las Vegas': ['NV Energy'],
  Albuquerque: ['PNM'],
  'Salt Lake City': ['Rocky Mountain Power'],
  Denver: ['Xcel Energy'],
  Austin: ['Austin Energy'],
  'San Antonio': ['CPS Energy'],
  Dallas: ['Oncor'],
  Miami: ['Florida Power & Light'],
  Tampa: ['Tampa Electric'],
  Charlotte: ['Duke Energy Carolinas'],
}

test('state, city, zip code, telephone, utility and coordinates of a home agree', () => {
  expect(cities.length).toBeGreaterThanOrEqual(60)
  expect(kinds(({ city }) => city)).toBeGreaterThanOrEqual(55)
  expect(
    offenders((deal) => {
      const { zips, areas } = stateFacts[deal.state as string] as (typeof stateFacts)[string]
      const prefix = Number((deal.zipCode as string).slice(0, 3))
      const [, area = ''] = /^\((\d{3})\) 555-01\d\d$/.exec(deal.primaryPhone as string) ?? []
      return (
        /^\d{5}$/.test(deal.zipCode as string) &&
        prefix >= zips[0] &&
        prefix <= zips[1] &&
        areas.split(' ').includes(area)
      )
    }),
  ).toEqual([])
  expect(
    offenders((deal) =>
      (utilities[deal.city as string] ?? [deal.utilityName]).includes(deal.utilityName as string),
    ),
  ).toEqual([])
  expect(
    offenders((deal) => {
      const city = cities.find((one) => one.city === deal.city && one.state === deal.state)
      if (!city || !/^\d\d\.\d{5},-\d{2,3}\.\d{5}$/.test(deal.coordinates as string)) return false
      const [latitude = 0, longitude = 0] = (deal.coordinates as string).split(',').map(Number)
      const north = (latitude - city.latitude) * 111.2
      const east = (longitude - city.longitude) * 111.2 * Math.cos((latitude * Math.PI) / 180)
      return city.zipCodes.includes(deal.zipCode as string) && Math.hypot(north, east) < 5
    }),
  ).toEqual([])
  expect(offenders((deal) => /^\d{2,4} \S/.test(deal.streetAddress as string))).toEqual([])
})

test('modules, inverters and batteries make up the system', () => {
  expect(
    offenders((deal) => {
      const [watts] = (deal.moduleType as string).match(/4[0-4]\d/) ?? []
      return (
        (Number(deal.numberOfModules) * Number(watts)) / 1000 === Number(deal.systemSize) &&
        /^\d+\.\d\d$/.test(deal.systemSize as string)
      )
    }),
  ).toEqual([])
  expect(
    offenders((deal) => {
      const inverters = Number(deal.numberOfInverters)
      return (deal.inverterType as string).startsWith('Enphase')
        ? inverters === Number(deal.numberOfModules)
        : inverters === 1 || inverters === 2
    }),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        deal.hasBattery === (deal.battery !== null) && deal.hasBattery === Number(deal.numberOfBatteries) > 0,
    ),
  ).toEqual([])
  expect(
    offenders((deal) => !deal.hasBattery || (deal.adders as string).includes(deal.battery as string)),
  ).toEqual([])
  expect(
    offenders((deal) => /tile/.test(deal.roofType as string) === /Tile roof/.test(deal.adders ?? '')),
  ).toEqual([])
})

test('the price adds up to the cent, and the loan is the amount minus a down payment', () => {
  const cents = (dollars: number | string | null) => Math.round(Number(dollars) * 100)
  const watts = (deal: Deal) => Math.round(Number(deal.systemSize) * 1000)
  expect(
    offenders(
      (deal) =>
        cents(deal.basePpw) + cents(deal.adderPpw) === cents(deal.totalPpw) &&
        /^\d\.\d\d$/.test(deal.adderPpw as string),
    ),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        cents(deal.adderPpw) * watts(deal) === cents(deal.adderCost) &&
        (deal.adders === null) === (deal.adderCost === 0),
    ),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        cents(deal.totalPpw) * watts(deal) === cents(deal.amount) &&
        Number((deal.amount as number).toFixed(2)) === deal.amount,
    ),
  ).toEqual([])
  expect(
    offenders((deal) => {
      if (deal.lender === null) return deal.loanAmount === null
      const down = cents(deal.amount) - cents(deal.loanAmount)
      return /^\d+\.\d\d$/.test(deal.loanAmount as string) && down >= 0 && down < 0.2 * cents(deal.amount)
    }),
  ).toEqual([])
  expect(deals.some(({ lender }) => lender === null)).toBe(true)
  expect(
    deals.some(({ amount, loanAmount }) => loanAmount !== null && Number(loanAmount) < (amount as number)),
  ).toBe(true)
})

test('the proposal is in one of one or two design tools', () => {
  expect(
    offenders((deal) => {
      const projects = [
        deal.designToolAProjectId,
        deal.designToolBProjectId,
        deal.designToolCProjectId,
      ].filter((id) => id !== null)
      return (
        (projects.length === 1 || projects.length === 2) &&
        /^https:\/\/[a-z-]+\.example\/proposals\/\w+$/.test(deal.proposalLink as string)
      )
    }),
  ).toEqual([])
  expect(kinds(({ proposalLink }) => proposalLink)).toBe(deals.length)
})

test('flags agree with the milestones', () => {
  expect(offenders((deal) => deal.installCompleted === (deal.installComplete !== null))).toEqual([])
  const passed = (deal: Deal) =>
    !deal.inspectionRequired || deal.inspectionResults === 'Passed' || deal.reInspectionResults === 'Passed'
  expect(
    offenders(
      (deal) => !deal.m2Approved || (deal.installCompleted && passed(deal) && deal.fundingSubmitted !== null),
    ),
  ).toEqual([])
  expect(offenders((deal) => deal.fundingSubmitted === null || passed(deal))).toEqual([])
  expect(offenders((deal) => !deal.plansetMatchesAsBuilt || deal.installCompleted)).toEqual([])
  expect(offenders((deal) => !deal.scopeOfWorkPacket || deal.engineeringCompleted !== null)).toEqual([])
  expect(
    offenders((deal) => (deal.expectedPermitDeliveryDate !== null) === (deal.permitSubmitted !== null)),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        deal.permitRequired ||
        (deal.permitSubmitted ?? deal.permitReceived ?? deal.inspectionRequested) === null,
    ),
  ).toEqual([])
  expect(deals.filter(({ permitRequired }) => !permitRequired).length / deals.length).toBeLessThan(0.06)
})

test('a failed inspection has a reason and a re-inspection; some deals are redesigned and re-signed', () => {
  expect(
    offenders(
      (deal) => (deal.inspectionResults === 'Failed') === (deal.inspectionNotes ?? '').startsWith('Failed:'),
    ),
  ).toEqual([])
  const again = (deal: Deal) =>
    deal.reInspectionRequested ?? deal.reInspectionResults ?? deal.reInstallScheduled
  expect(offenders((deal) => deal.inspectionResults === 'Failed' || again(deal) === null)).toEqual([])
  expect(
    offenders((deal) => deal.reInspectionResults === null || deal.reInspectionRequested !== null),
  ).toEqual([])
  for (const field of [
    'reInstallScheduled',
    'reInspectionResults',
    'reSignDate',
    'redesignCompleteDate',
  ] as const) {
    expect(deals.filter((deal) => deal[field] !== null).length).toBeGreaterThan(20)
  }
})

test("a homeowners' association has all of its data or none, and approves before the install", () => {
  expect(
    offenders((deal) =>
      [deal.hoaName, deal.hoaEmail, deal.hoaNumber].every((value) => (value !== null) === deal.hasHoa),
    ),
  ).toEqual([])
  expect(offenders(({ hoaEmail }) => hoaEmail === null || /^[a-z]+@[a-z]+\.example$/.test(hoaEmail))).toEqual(
    [],
  )
  expect(
    offenders(({ hoaNumber }) => hoaNumber === null || /^\(\d{3}\) 555-01\d\d$/.test(hoaNumber)),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        deal.hoaApprovedDate === null ||
        (deal.hasHoa && deal.hoaApprovedDate > (deal.cadCompleted as string)),
    ),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        !deal.hasHoa ||
        !deal.installCompleted ||
        (deal.hoaApprovedDate as string) < (deal.installedScheduled as string),
    ),
  ).toEqual([])
})

test('about half of the deals have notes that explain their problems', () => {
  const noted = deals.filter(({ notes }) => notes !== null)
  expect(noted.length / deals.length).toBeGreaterThan(0.4)
  expect(noted.length / deals.length).toBeLessThan(0.65)
  expect(kinds(({ notes }) => notes)).toBeGreaterThan(0.5 * noted.length)
  expect(offenders((deal) => (deal.notesLastUpdated !== null) === (deal.notes !== null))).toEqual([])
  const isOver = (deal: Deal) =>
    deal.pipelineId === 'service' || ['cancelled', 'complete'].includes(deal.stageId as string)
  expect(
    offenders((deal) => (deal.notesNextActivityDate !== null) === (deal.notes !== null && !isOver(deal))),
  ).toEqual([])
  expect(
    offenders((deal) => deal.hasOutstandingItems === (deal.notes ?? '').includes('Outstanding:')),
  ).toEqual([])
  expect(
    offenders((deal) => deal.hasChangesToAdders === (deal.notes ?? '').includes('Change order:')),
  ).toEqual([])
  expect(offenders((deal) => deal.stageId !== 'on-hold' || (deal.notes ?? '').includes('On hold'))).toEqual(
    [],
  )
  expect(
    offenders((deal) => deal.stageId !== 'cancelled' || (deal.notes ?? '').includes('Cancelled')),
  ).toEqual([])
  expect(offenders(({ notes }) => !/[{}]|undefined|null/.test(notes ?? ''))).toEqual([])
})

test('the agreement exists from the request for the notice to proceed on, with its own id', () => {
  expect(
    offenders((deal) => deal.hicAgreement === (deal.ntpRequested === null ? null : agreementId(deal.id))),
  ).toEqual([])
  const ids = deals.flatMap(({ hicAgreement }) => hicAgreement ?? [])
  expect(ids.filter((id) => !/^hic_[A-Za-z0-9_-]{12}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
})
