import { expect, test } from 'vitest'
import { demoDeals, demoPartners } from '#db/demo/demo.ts'
import { dealFields, personFields, type Deal, type FieldKind } from '#server/deals/deal.ts'
import { stringifyJson } from '#server/values/int64.ts'
import { toCents } from '#server/values/units.ts'

const now = new Date('2026-03-05T18:20:00Z')

function dealsOf(
  partner: { slug: string; name: string },
  count: number,
  firstId = 1n,
  day = now,
  seed?: number,
): Deal[] {
  return [...demoDeals({ partner, count, firstId, now: day, ...(seed !== undefined && { seed }) })]
}

const deals = demoPartners.flatMap((partner) => dealsOf(partner, partner.deals, partner.firstId))
// Other days too, so that no rule depends on one: after a clock change, in a leap year.
const dated = [now, new Date('2026-11-03T12:00:00Z'), new Date('2028-02-29T00:00:00Z')].flatMap((day) => {
  const today = `${day.toISOString().slice(0, 10)}T00:00:00.000Z`
  return (day === now ? deals : dealsOf({ slug: 'elsewhere', name: 'Elsewhere' }, 400, 1n, day)).map(
    (deal) => ({ deal, today }),
  )
})

function offenders(holds: (deal: Deal, today: string) => boolean): Deal[] {
  return dated.filter(({ deal, today }) => !holds(deal, today)).map(({ deal }) => deal)
}

test('three partners have about 2,000 deals with ids that ascend, are not dense and do not overlap', () => {
  expect(demoPartners).toHaveLength(3)
  expect(deals.length).toBeGreaterThan(1_800)
  expect(demoPartners.every(({ slug }) => /^[a-z0-9-]+$/.test(slug))).toBe(true)
  const ids = deals.map(({ id }) => id)
  expect(ids[0]).toBeGreaterThan(2n ** 32n)
  expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] as bigint))).toBe(true)
  const first = dealsOf({ slug: 'x', name: 'X' }, 1_000).map(({ id }) => id)
  expect(first[0]).toBe(1n)
  expect(first.at(-1)).toBeGreaterThan(10_000n)
  expect(first.at(-1)).toBeLessThanOrEqual(1n + 59n * 999n)
})

test('the same arguments yield the same deals at any time of day; another seed or partner yields others', () => {
  const partner = { slug: 'x', name: 'X' }
  const some = dealsOf(partner, 50)
  expect(dealsOf(partner, 50)).toEqual(some)
  expect(dealsOf(partner, 50, 1n, new Date('2026-03-05T00:00:00Z'))).toEqual(some)
  expect(dealsOf(partner, 50, 1n, now, 7)).not.toEqual(some)
  expect(dealsOf({ slug: 'y', name: 'Y' }, 50)).not.toEqual(some)
})

test('a deal has all its fields in the order of the interface, each of its kind', () => {
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
  const fits: Record<FieldKind, (value: unknown) => boolean> = {
    int64: (value) => typeof value === 'bigint',
    text: (value) => value === null || (typeof value === 'string' && value !== '' && value === value.trim()),
    double: (value) => value === null || Number.isFinite(value),
    money: (value) => value === null || (Number.isFinite(value) && toCents(value as number) === value),
    flag: (value) => typeof value === 'boolean',
    time: (value) =>
      value === null ||
      (typeof value === 'string' && instant.test(value) && new Date(value).toISOString() === value),
    person: (value) => value === null || shaped(value, personFields),
  }
  const shaped = (value: unknown, fields: Record<string, { kind: FieldKind }>): boolean =>
    Object.keys(value as object).join() === Object.keys(fields).join() &&
    Object.entries(value as object).every(([name, inner]) =>
      fits[(fields[name] as { kind: FieldKind }).kind](inner),
    )
  expect(offenders((deal) => shaped(deal, dealFields))).toEqual([])
})

test('a rendered deal is about four kilobytes', () => {
  const bytes = deals.reduce((sum, deal) => sum + Buffer.byteLength(stringifyJson(deal)), 0) / deals.length
  expect(bytes).toBeGreaterThan(3_500)
  expect(bytes).toBeLessThan(4_500)
})

test('generates deals lazily', () => {
  const endless = demoDeals({ partner: { slug: 'x', name: 'X' }, count: 1_000_000, firstId: 1n, now })
  // All of them would take minutes, longer than a test may.
  for (let taken = 0; taken < 1_000; taken++) expect(endless.next().done).toBe(false)
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
const appointments = [
  'installedScheduled',
  'reInstallScheduled',
  'notesNextActivityDate',
  'expectedPermitDeliveryDate',
]
const happened = (Object.keys(dealFields) as (keyof Deal)[]).filter(
  (name) => (dealFields[name] as { kind: FieldKind }).kind === 'time' && !appointments.includes(name),
)

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000

test('milestones follow each other in the order of the trade, within weeks, and leave none out', () => {
  expect(
    offenders((deal) => {
      const times = order.map((name) => deal[name]).filter((time) => time !== null)
      return times.every(
        (time, index) =>
          index === 0 || ((times[index - 1] as string) < time && days(times[index - 1] as string, time) < 75),
      )
    }),
  ).toEqual([])
  const optional: string[] = [
    'redesignCompleteDate',
    'reSignDate',
    'reInstallScheduled',
    'reInspectionRequested',
  ]
  expect(
    offenders((deal) => {
      const needed = order.filter(
        (name) => !optional.includes(name) && (deal.permitRequired || !/permit|inspection/.test(name)),
      )
      const reached = needed.findLastIndex((name) => deal[name] !== null)
      return needed.slice(0, reached).every((name) => deal[name] !== null)
    }),
  ).toEqual([])
  expect(
    offenders(
      (deal) =>
        deal.reSignDate === null || (deal.redesignCompleteDate !== null && deal.cadCompleted !== null),
    ),
  ).toEqual([])
})

test('past events lie before today and the last change; plans of open deals lie ahead', () => {
  expect(
    offenders((deal) =>
      happened.every(
        (name) => deal[name] === null || (deal[name] as string) <= (deal.lastModified as string),
      ),
    ),
  ).toEqual([])
  expect(offenders((deal, today) => (deal.lastModified as string) <= today)).toEqual([])
  expect(
    offenders((deal, today) => deal.notesNextActivityDate === null || deal.notesNextActivityDate > today),
  ).toEqual([])
  expect(
    deals.some(
      (deal) =>
        deal.stageId === 'install-scheduled' && (deal.installedScheduled as string) > now.toISOString(),
    ),
  ).toBe(true)
  expect(
    offenders(
      (deal, today) =>
        deal.stageId !== 'install-scheduled' || days(deal.installedScheduled as string, today) < 3,
    ),
  ).toEqual([])
})

const zones: Record<string, string> = {
  AZ: 'America/Phoenix',
  CA: 'America/Los_Angeles',
  NV: 'America/Los_Angeles',
  NM: 'America/Denver',
  UT: 'America/Denver',
  CO: 'America/Denver',
  TX: 'America/Chicago',
  'El Paso': 'America/Denver',
  FL: 'America/New_York',
  NC: 'America/New_York',
}

function wallClock(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' })
}

test('work happens in local working hours, and never on a roof on Sundays', () => {
  const dateOnly = ['hoaApprovedDate', 'expectedPermitDeliveryDate']
  const worked = [...happened, 'installedScheduled' as const, 'reInstallScheduled' as const].filter(
    (name) => !dateOnly.includes(name),
  )
  const sample = dated.filter((_, index) => index % 7 === 0).map(({ deal }) => deal)
  const clocks = new Map(Object.entries(zones).map(([at, timeZone]) => [at, wallClock(timeZone)]))
  const odd = sample.flatMap((deal) => {
    const clock = clocks.get(
      deal.city === 'El Paso' ? 'El Paso' : (deal.state as string),
    ) as Intl.DateTimeFormat
    return worked
      .filter((name) => {
        if (deal[name] === null) return false
        const [day = '', hour] = clock.format(new Date(deal[name] as string)).split(/[ ,]+/)
        return day === 'Sun' || Number(hour) < 7 || Number(hour) > 20
      })
      .map((name) => `${deal.state} ${name} ${deal[name] as string}`)
  })
  expect(odd).toEqual([])
})

/** For each stage of a project what has happened when a deal is in it, and what not yet. */
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

test('stage and milestones agree, and the stage begins with its milestone', () => {
  expect(
    offenders((deal) => {
      const [done, open] = stages[deal.stageId as string] ?? ['createDate', 'installComplete']
      return deal.pipelineId === 'service'
        ? deal.m2Approved
        : deal[done] !== null && (open === null || deal[open] === null)
    }),
  ).toEqual([])
  const withMilestone = [
    'cad-design',
    'engineering',
    'ntp-review',
    'permit-preparation',
    'permit-submitted',
    'install-complete',
    'inspection',
    'awaiting-pto',
  ]
  expect(
    offenders(
      ({ stageId, ...deal }) =>
        !withMilestone.includes(stageId as string) ||
        deal.timeInCurrentStage === deal[stages[stageId as string]?.[0] as 'createDate'],
    ),
  ).toEqual([])
  expect(
    offenders(
      ({ timeInCurrentStage: at, createDate }, today) =>
        at !== null && at <= today && at >= (createDate as string),
    ),
  ).toEqual([])
  expect(
    offenders(
      (deal, today) => deal.stageId !== 'on-hold' || days(deal.timeInCurrentStage as string, today) < 120,
    ),
  ).toEqual([])
})

test('labels and ids of stages and pipelines go together; the battery decides the pipeline', () => {
  for (const [label, id] of [
    ['stage', 'stageId'],
    ['pipeline', 'pipelineId'],
  ] as const) {
    const pairs = new Set(deals.map((deal) => `${deal[label]}|${deal[id]}`))
    expect(new Set(deals.map((deal) => deal[id])).size).toBe(pairs.size)
    expect(new Set(deals.map((deal) => deal[label])).size).toBe(pairs.size)
  }
  expect(
    offenders(
      (deal) =>
        deal.pipelineId === 'service' ||
        deal.pipelineId === (deal.hasBattery ? 'solar-battery' : 'residential'),
    ),
  ).toEqual([])
})

test('every stage is met; some 6 in 100 are cancelled and 4 on hold, most are on the way or complete', () => {
  const share = (...ids: string[]) =>
    deals.filter(({ stageId }) => ids.includes(stageId as string)).length / deals.length
  const met = new Set(deals.map(({ stageId }) => stageId as string))
  expect(
    [...Object.keys(stages), 'on-hold', 'cancelled', 'service-complete'].filter((id) => !met.has(id)),
  ).toEqual([])
  expect(Math.abs(share('cancelled') - 0.06)).toBeLessThan(0.015)
  expect(Math.abs(share('on-hold') - 0.04)).toBeLessThan(0.015)
  expect(share('complete')).toBeGreaterThan(0.3)
  expect(share(...Object.keys(stages).filter((id) => id !== 'complete'))).toBeGreaterThan(0.25)
})
