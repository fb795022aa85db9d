import { beforeAll, describe, expect, test } from 'vitest'
import { makeCalendar, writeCountedDeals } from '#e2e/counted-deals.ts'
import { codeOf, signedIn } from '#e2e/signed-in.ts'
import { useDatabase } from '#e2e/use-database.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { api } from '../api.ts'
import type { DealRecord, KnownDeal } from '../deals/deal.ts'
import type { Services } from '../runtime/services.ts'
import { countDeals } from '../search/count-store.ts'
import { readOrCountTotals } from '../search/read-totals.ts'
import type { DealFilter } from '../search/wire.ts'
import { dayWindows } from '../values/day-choice.ts'
import { dayMs } from '../values/units.ts'
import { type Zone, utc } from '../values/zone.ts'
import { type RepFigures, type RepRole, type Scorecard, repRoles } from './reports-wire.ts'
import { scorecardTotals } from './scorecard-store.ts'
import { scorecardOf } from './scorecard.ts'

const database = useDatabase()
let partnerId: PartnerId
let deals: KnownDeal[]
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * dayMs).toISOString()
const phoenix = 'America/Phoenix' as Zone

beforeAll(async () => {
  const edges: Partial<DealRecord>[] = [
    // Deals that were installed before the sale, in the future, and too long ago.
    { closerName: 'Edge', createDate: ago(3), installComplete: ago(9) },
    { closerName: 'Edge', createDate: ago(9), installComplete: ago(-9) },
    { closerName: 'Edge', createDate: ago(900), installComplete: ago(500) },
    // One person with different names in the two roles.
    { closerName: 'Nia', setterName: 'Nia', fundingSubmitted: ago(0), timeInCurrentStage: ago(31) },
    { setterName: ' Nia ' },
  ]
  const written = await writeCountedDeals(database.db, { perPartner: 120, edges, now })
  ;({ deals } = written)
  partnerId = written.tenant as PartnerId
})

const read = async (window: Scorecard['window'], zone: Zone = utc) => {
  const deps = { db: database.db }
  const { totals } = await readOrCountTotals(deps, scorecardTotals, { tenant: partnerId, zone }, now)
  return scorecardOf(totals, window, ['Nia'])
}
const count = async (filter: DealFilter, zone: Zone) =>
  (await countDeals(database.db, { tenant: partnerId, filter, zone })).count
const nameIn = (deal: KnownDeal, role: RepRole) => {
  const person = deal[role]
  if (typeof person === 'string') return person.trim()
  return person === null ? '' : [person.firstName, person.lastName].filter(Boolean).join(' ')
}

describe.each([utc, phoenix])('the scorecard with days in %s', (zone) => {
  test('each figure of each rep equals the number of deals in its list', async () => {
    const { reps, team } = await read('last-30-days', zone)
    expect(await count(team.filter, zone)).toBe(team.count)
    const figures = reps.flatMap(({ open, late, stuck, funded, install }) => [
      open,
      late,
      stuck,
      funded,
      install,
    ])
    for (const figure of figures)
      expect(await count(figure.filter, zone), JSON.stringify(figure.filter)).toBe(figure.count)
    const total = (name: 'open' | 'late' | 'stuck' | 'funded') =>
      reps.reduce((sum, rep) => sum + rep[name].count, 0)
    for (const name of ['open', 'late', 'stuck', 'funded'] as const) expect(total(name)).toBeGreaterThan(0)
  })

  test('medians match the deals, and require at least five deals', async () => {
    const { dayText, isPast, today } = makeCalendar(zone, now)
    const numberOf = (time: string) => Date.parse(dayText(time)) / dayMs
    const daysOf = ({ createDate, installComplete }: KnownDeal) =>
      createDate !== null &&
      installComplete !== null &&
      isPast(createDate) &&
      dayText(installComplete) <= today &&
      numberOf(installComplete) > numberOf(now.toISOString()) - 365
        ? [Math.max(0, numberOf(installComplete) - numberOf(createDate))]
        : []
    const medianOf = (all: KnownDeal[]) => {
      const days = all.flatMap(daysOf).toSorted((a, b) => a - b)
      return days.length < 5 ? null : days[Math.ceil(days.length / 2) - 1]
    }
    const { reps, team } = await read('today', zone)
    expect(team.median).toBe(medianOf(deals))
    for (const { role, name, install } of reps)
      expect(install.median, name).toBe(medianOf(deals.filter((deal) => nameIn(deal, role) === name)))
    expect(reps.some(({ install }) => install.median === null)).toBe(true)
    expect(reps.some(({ install }) => install.median !== null)).toBe(true)
  })
})

test('returns every rep of each role, and the viewer first', async () => {
  const { reps } = await read('this-week')
  for (const role of repRoles) {
    const names = new Set(deals.map((deal) => nameIn(deal, role)).filter((name) => name !== ''))
    expect(new Set(reps.filter((rep) => rep.role === role).map(({ name }) => name))).toEqual(names)
  }
  expect(reps.slice(0, 2).map(({ name, isMine }) => [name, isMine])).toEqual([
    ['Nia', true],
    ['Nia', true],
  ])
})

test.each(dayWindows)('deals funded %s are as many in the list as in the figure', async (window) => {
  const { reps } = await read(window)
  const nia = reps.find(({ name, role }: RepFigures) => name === 'Nia' && role === 'closerName')!
  expect(await count(nia.funded.filter, utc)).toBe(nia.funded.count)
  expect(nia.funded.count).toBe(window === 'yesterday' ? 0 : 1)
})

test('shows members the scorecard of their own partner once an admin shares it', async () => {
  const services = { db: database.db } as unknown as Services
  const { id } = (await insertPartner(database.db, 'shared', 'Shared'))!
  const [member, admin] = await Promise.all(
    (['member', 'admin'] as const).map(async (role) =>
      api.createCaller(await signedIn(services, { role, partnerId: id })),
    ),
  )
  expect(await codeOf(member!.insight.scorecard({}))).toBe('FORBIDDEN')
  expect((await admin!.insight.scorecard({})).reps).toEqual([])
  expect(await codeOf(member!.team.shareScorecard({ isShared: true }))).toBe('FORBIDDEN')
  await admin!.team.shareScorecard({ isShared: true })
  expect((await member!.insight.scorecard({})).reps).toEqual([])
  await admin!.team.shareScorecard({ isShared: false })
  expect(await codeOf(member!.insight.scorecard({}))).toBe('FORBIDDEN')
})
