import { expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { cities } from '#db/demo/home.ts'
import { dealFields, personFields, type Deal, type FieldKind, type Person } from '#server/deals/deal.ts'
import { stringifyJson } from '#server/values/int64.ts'
import { dayMs, toCents } from '#server/values/units.ts'

const now = new Date('2026-03-05T18:20:00Z')

const dealsOf = (partner: { slug: string; name: string }, count: number, firstId = 1n, day = now): Deal[] => [
  ...demoDeals({ partner, count, firstId, now: day }),
]

const deals = demoPartners.flatMap((partner) => dealsOf(partner, partner.deals, partner.firstId))
// Tests other days as well, such as after a clock change and in a leap year, so that no rule depends on a
// single day.
const dated = [now, new Date('2026-11-03T12:00:00Z'), new Date('2028-02-29T00:00:00Z')].flatMap((day) => {
  const today = `${day.toISOString().slice(0, 10)}T00:00:00.000Z`
  return (day === now ? deals : dealsOf({ slug: 'elsewhere', name: 'Elsewhere' }, 400, 1n, day)).map(
    (deal) => ({ deal, today }),
  )
})

/** Returns the ids of the deals for which a rule does not hold. */
const offenders = (holds: (deal: Deal, today: string) => boolean): bigint[] =>
  dated.filter(({ deal, today }) => !holds(deal, today)).map(({ deal }) => deal.id)

const distinct = (of: (deal: Deal) => unknown) => new Set(deals.map(of)).size

test('three partners have 2,000 deals with ascending, sparse ids that do not overlap', () => {
  expect(demoPartners).toHaveLength(3)
  expect(deals.length).toBeGreaterThan(1_800)
  const ids = deals.map(({ id }) => id)
  expect(ids.every((id, index) => index === 0 || id > ids[index - 1]!)).toBe(true)
  expect(dealsOf({ slug: 'x', name: 'X' }, 1_000).at(-1)!.id).toBeGreaterThan(10_000n)
})

test('the same arguments yield the same deals at any time of day; other partners get other deals', () => {
  const partner = { slug: 'x', name: 'X' }
  const some = dealsOf(partner, 50)
  expect(dealsOf(partner, 50, 1n, new Date('2026-03-05T00:00:00Z'))).toEqual(some)
  expect(dealsOf({ slug: 'y', name: 'Y' }, 50)).not.toEqual(some)
})

test('generates deals lazily', () => {
  const endless = demoDeals({ partner: { slug: 'x', name: 'X' }, count: 1_000_000, firstId: 1n, now })
  // Reads only some deals, because reading all would take minutes.
  for (let read = 0; read < 1_000; read++) expect(endless.next().done).toBe(false)
})

test('a deal has all fields in interface order, each of its type, in about four kilobytes', () => {
  const fits: Record<FieldKind, (value: unknown) => boolean> = {
    int64: (value) => typeof value === 'bigint',
    text: (value) => value === null || (typeof value === 'string' && value !== '' && value === value.trim()),
    double: (value) => value === null || Number.isFinite(value),
    money: (value) => value === null || toCents(value as number) === value,
    flag: (value) => typeof value === 'boolean',
    time: (value) => value === null || new Date(value as string).toISOString() === value,
    person: (value) => value === null || isShaped(value, personFields),
  }
  const isShaped = (value: unknown, fields: Record<string, { kind: FieldKind }>): boolean =>
    Object.keys(value as object).join() === Object.keys(fields).join() &&
    Object.entries(value as object).every(([name, inner]) => fits[fields[name]!.kind](inner))
  expect(offenders((deal) => isShaped(deal, dealFields))).toEqual([])
  const bytes = deals.reduce((sum, deal) => sum + Buffer.byteLength(stringifyJson(deal)), 0) / deals.length
  expect(bytes).toBeGreaterThan(3_500)
  expect(bytes).toBeLessThan(4_500)
})

const order = [
  'createDate',
  'siteSurveyRequested',
  'siteSurveyCompleted',
  'cadRequested',
  'cadCompleted',
  'redesignCompleteDate',
  'reSignDate',
  'engineeringRequested',
  'engineeringCompleted',
  'ntpRequested',
  'ntpApproved',
  'permitSubmitted',
  'permitReceived',
  'installedScheduled',
  'installComplete',
  'inspectionRequested',
  'reInstallScheduled',
  'reInspectionRequested',
  'fundingSubmitted',
] as const
const optional = ['redesignCompleteDate', 'reSignDate', 'reInstallScheduled', 'reInspectionRequested']
const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / dayMs

test('milestones follow the usual order of the trade within weeks, without skipping any', () => {
  const isOrdered = (times: string[]) =>
    times.every(
      (time, index) => index === 0 || (times[index - 1]! < time && days(times[index - 1]!, time) < 75),
    )
  expect(offenders((deal) => isOrdered(order.flatMap((name) => deal[name] ?? [])))).toEqual([])
  expect(
    offenders((deal) => {
      const needed = order.filter(
        (name) => !optional.includes(name) && (deal.permitRequired || !/permit|inspection/.test(name)),
      )
      const reached = needed.findLastIndex((name) => deal[name] !== null)
      return needed.slice(0, reached).every((name) => deal[name] !== null)
    }),
  ).toEqual([])
  for (const field of [...optional, 'reInspectionResults'] as (keyof Deal)[])
    expect(deals.filter((deal) => deal[field] !== null).length).toBeGreaterThan(20)
})

const plans = [
  'installedScheduled',
  'reInstallScheduled',
  'notesNextActivityDate',
  'expectedPermitDeliveryDate',
]
const happened = (Object.keys(dealFields) as (keyof Deal)[]).filter(
  (name) => (dealFields[name] as { kind: FieldKind }).kind === 'time' && !plans.includes(name),
)

test('past events precede today and the last change; plans of open deals are in the future', () => {
  const isPast = (deal: Deal) => happened.every((name) => (deal[name] ?? '')! <= deal.lastModified!)
  expect(offenders((deal, today) => isPast(deal) && deal.lastModified! <= today)).toEqual([])
  expect(offenders((deal, today) => (deal.notesNextActivityDate ?? '9') > today)).toEqual([])
  const scheduled = deals.filter(({ stageId }) => stageId === 'install-scheduled')
  expect(scheduled.some((deal) => deal.installedScheduled! > now.toISOString())).toBe(true)
})

test('work happens during local working hours, and never on a roof on Sundays', () => {
  const zones = { AZ: 'Phoenix', CA: 'Los_Angeles', TX: 'Chicago', FL: 'New_York', CO: 'Denver' }
  const worked = ['siteSurveyCompleted', 'installedScheduled', 'installComplete', 'fundingSubmitted'] as const
  for (const [state, zone] of Object.entries(zones)) {
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: `America/${zone}`,
      weekday: 'short',
      hour: 'numeric',
      hourCycle: 'h23',
    })
    const times = dated.flatMap(({ deal }) =>
      deal.state === state ? worked.flatMap((name) => deal[name] ?? []) : [],
    )
    const shown = times.map((time) => clock.format(new Date(time)).split(/[ ,]+/) as [string, string])
    expect(shown.length).toBeGreaterThan(100)
    expect(shown.filter(([day, hour]) => day === 'Sun' || Number(hour) < 7 || Number(hour) > 17)).toEqual([])
  }
})

/** For each stage of a project, the field that must be set and the field that must still be empty. */
const stages: Record<string, [done: keyof Deal, open: keyof Deal | null]> = {
  'site-survey': ['createDate', 'siteSurveyCompleted'],
  'cad-design': ['siteSurveyCompleted', 'cadCompleted'],
  engineering: ['cadCompleted', 'engineeringCompleted'],
  'ntp-review': ['engineeringCompleted', 'ntpApproved'],
  'permit-preparation': ['ntpApproved', 'permitSubmitted'],
  'permit-submitted': ['permitSubmitted', 'permitReceived'],
  'install-scheduled': ['installedScheduled', 'installComplete'],
  'install-complete': ['installComplete', 'inspectionRequested'],
  inspection: ['inspectionRequested', 'fundingSubmitted'],
  funding: ['installComplete', 'fundingSubmitted'],
  'awaiting-pto': ['fundingSubmitted', null],
  complete: ['fundingSubmitted', null],
}

test('stage, milestones, flags and people are consistent', () => {
  const passed = (deal: Deal) =>
    !deal.inspectionRequired || deal.inspectionResults === 'Passed' || deal.reInspectionResults === 'Passed'
  const rules: ((deal: Deal, today: string) => boolean)[] = [
    (deal) => {
      const [done, open] = stages[deal.stageId!] ?? ['createDate', 'installComplete']
      if (deal.pipelineId === 'service') return deal.m2Approved
      return deal[done] !== null && (open === null || deal[open] === null)
    },
    (deal, today) => deal.timeInCurrentStage! <= today && deal.timeInCurrentStage! >= deal.createDate!,
    (deal, today) => deal.stageId !== 'on-hold' || days(deal.timeInCurrentStage!, today) < 120,
    (deal) =>
      deal.pipelineId === 'service' || (deal.pipelineId === 'solar-battery') === (deal.battery !== null),
    (deal) =>
      deal.hasBattery === (deal.battery !== null) && deal.hasBattery === Number(deal.numberOfBatteries) > 0,
    (deal) => deal.installCompleted === (deal.installComplete !== null),
    (deal) => deal.fundingSubmitted === null || passed(deal),
    (deal) => !deal.m2Approved || deal.fundingSubmitted !== null,
    (deal) => (deal.expectedPermitDeliveryDate === null) === (deal.permitSubmitted === null),
    (deal) => deal.permitRequired || (deal.permitSubmitted ?? deal.inspectionRequested) === null,
    (deal) => (deal.inspectionResults === 'Failed') === (deal.inspectionNotes ?? '').startsWith('Failed:'),
    (deal) => deal.reInspectionResults === null || deal.reInspectionRequested !== null,
    (deal) =>
      [deal.hoaName, deal.hoaEmail, deal.hoaNumber].every((value) => (value !== null) === deal.hasHoa),
    (deal) => !deal.hasHoa || !deal.installCompleted || deal.hoaApprovedDate! < deal.installedScheduled!,
    (deal) => (deal.hicAgreement !== null) === (deal.ntpRequested !== null),
    (deal) => (deal.projectManager !== null) === (deal.siteSurveyRequested !== null),
    (deal) => (deal.postInstallEngineer !== null) === deal.installCompleted,
    (deal) => (deal.notesLastUpdated !== null) === (deal.notes !== null),
    (deal) => deal.hasOutstandingItems === (deal.notes ?? '').startsWith('Outstanding:'),
    (deal) => deal.hasChangesToAdders === (deal.notes ?? '').startsWith('Change order:'),
    (deal) => deal.stageId !== 'on-hold' || deal.notes!.startsWith('On hold'),
    (deal) => !/[{}]|undefined|null/.test(deal.notes ?? ''),
  ]
  for (const rule of rules) expect(offenders(rule), rule.toString()).toEqual([])
})

test('every stage occurs; about 6% of deals are cancelled, 4% on hold, and half have a note', () => {
  const share = (holds: (deal: Deal) => boolean) => deals.filter(holds).length / deals.length
  const met = new Set(deals.map(({ stageId }) => stageId!))
  expect(
    [...Object.keys(stages), 'on-hold', 'cancelled', 'service-complete'].filter((id) => !met.has(id)),
  ).toEqual([])
  expect(Math.abs(share(({ stageId }) => stageId === 'cancelled') - 0.06)).toBeLessThan(0.015)
  expect(Math.abs(share(({ stageId }) => stageId === 'on-hold') - 0.04)).toBeLessThan(0.015)
  expect(share(({ stageId }) => stageId === 'complete')).toBeGreaterThan(0.3)
  expect(Math.abs(share(({ notes }) => notes !== null) - 0.52)).toBeLessThan(0.13)
})

test('the state, city, ZIP code, phone number and coordinates of a home are consistent', () => {
  expect(distinct(({ city }) => city)).toBeGreaterThanOrEqual(40)
  expect(
    offenders((deal) => {
      const city = cities.find((one) => one.city === deal.city && one.state === deal.state)!
      const [latitude, longitude] = deal.coordinates!.split(',').map(Number) as [number, number]
      const north = (latitude - city.latitude) * 111.2
      const east = (longitude - city.longitude) * 111.2 * Math.cos((latitude * Math.PI) / 180)
      return (
        city.zipCodes.includes(deal.zipCode!) &&
        deal.primaryPhone!.startsWith(`(${city.areaCode}) 555-01`) &&
        Math.hypot(north, east) < 5
      )
    }),
  ).toEqual([])
})

test('modules add up to the system size, prices are exact to the cent, and loans never exceed the amount', () => {
  const cents = (dollars: number | string | null) => Math.round(Number(dollars) * 100)
  const rules: ((deal: Deal) => boolean)[] = [
    ({ moduleType, numberOfModules, systemSize }) =>
      Number(numberOfModules) * Number(/4[0-4]\d/.exec(moduleType!)![0]) ===
      Math.round(Number(systemSize) * 1000),
    (deal) => cents(deal.basePpw) + cents(deal.adderPpw) === cents(deal.totalPpw),
    (deal) => (deal.adders === null) === (deal.adderCost === 0),
    (deal) => Math.round(cents(deal.totalPpw) * Number(deal.systemSize) * 1000) === cents(deal.amount),
    (deal) => (deal.lender === null) === (deal.loanAmount === null),
    (deal) => cents(deal.loanAmount) <= cents(deal.amount),
  ]
  for (const rule of rules) expect(offenders(rule), rule.toString()).toEqual([])
  expect(deals.some(({ lender }) => lender === null)).toBe(true)
})

test('homeowners have varied names, each partner its own salespeople, and the installer one person per role', () => {
  expect(distinct(({ firstName, lastName }) => `${firstName} ${lastName}`)).toBeGreaterThan(
    0.75 * deals.length,
  )
  expect(offenders((deal) => deal.nameOnUb!.endsWith(` ${deal.lastName}`))).toEqual([])
  expect(distinct(({ dealer, closerName }) => `${dealer} ${closerName}`)).toBe(33)
  const staff = new Map<bigint, Person>()
  for (const deal of deals)
    for (const person of Object.keys(dealFields).flatMap((name) => {
      const value = deal[name as keyof Deal]
      return typeof value === 'object' && value !== null ? [value as Person] : []
    })) {
      expect(staff.get(person.id) ?? person).toEqual(person)
      staff.set(person.id, person)
    }
  expect(staff.size).toBeGreaterThan(15)
  expect(new Set([...staff.values()].map(({ email }) => email)).size).toBe(staff.size)
})
