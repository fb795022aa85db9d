import type { Database } from '#db/client.ts'
import { type Actor, isInternal, partnerOf } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { personal, requireCapability, router, scoped } from '../access/procedure.ts'
import { isManager } from '../accounts/role.ts'
import { readPartner } from '../accounts/store.ts'
import type { UsualSteps } from '../deals/payment.ts'
import { GetDeal } from '../deals/wire.ts'
import { ApiError } from '../errors.ts'
import { readNamesOf } from '../notifications/store.ts'
import { readDealPartners } from '../search/read-rows.ts'
import { readOrCountTotals } from '../search/read-totals.ts'
import { readDigestChoice, saveDigestChoice } from './digest-store.ts'
import { readFlow, readSlices, readUsualSteps } from './flow-store.ts'
import { offersTotals } from './home-store.ts'
import { readMoney } from './money-store.ts'
import { insightOperations } from './operations.ts'
import { readHome } from './read-home.ts'
import {
  type FlowFigures,
  GetFlow,
  GetSlices,
  type SliceFigures,
  GetSlicedTrends,
  GetTrends,
  type SlicedTrends,
  type Trends,
  GetScorecard,
  type Scorecard,
} from './reports-wire.ts'
import { scorecardTotals } from './scorecard-store.ts'
import { scorecardOf } from './scorecard.ts'
import { readSlicedTrends, readTrends } from './trends-store.ts'
import { readWeek } from './week.ts'
import {
  GetHome,
  type Home,
  type Offers,
  type MoneyFigures,
  GetWeek,
  SetDigest,
  type WeekReport,
} from './wire.ts'

/**
 * Returns whether the user may see the scorecard of the viewed partner: always for admins, and for members if
 * admins share it.
 */
async function seesScorecard(db: Database, actor: Actor): Promise<boolean> {
  if (isInternal(actor) || actor.user === null) return false
  return isManager(actor.user.role) || (await readPartner(db, partnerOf(actor))).membersSeeScorecard
}

export const insightRouter = router({
  ...insightOperations,

  /** Returns the reports that the user's navigation offers, which depend on the fields of the deals. */
  offers: scoped('deals:read')
    .meta({ isLong: true })
    .query(async ({ ctx: { services, db, actor } }): Promise<Offers> => {
      const [{ totals }, mayCompare] = await Promise.all([
        readOrCountTotals(services, offersTotals, actor),
        seesScorecard(db, actor),
      ])
      return { ...totals, scorecard: totals.reps && mayCompare }
    }),

  scorecard: personal
    .meta({ isLong: true })
    .input(GetScorecard)
    .query(async ({ ctx: { services, db, actor, user }, input: { window } }): Promise<Scorecard> => {
      if (!(await seesScorecard(db, actor)))
        throw new ApiError('FORBIDDEN', 'Only admins and those they share it with see the scorecard')
      const [{ totals, asOf }, mine] = await Promise.all([
        readOrCountTotals(services, scorecardTotals, { tenant: partnerOf(actor), zone: actor.zone }),
        readNamesOf(db, user.id),
      ])
      return { asOf, ...scorecardOf(totals, window, mine) }
    }),

  /** Returns Home, for the viewer's own deals or for everyone's. */
  home: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetHome.default({}))
    .query(({ ctx: { services, actor }, input: { show = null } }): Promise<Home> =>
      readHome(services, actor, show, new Date()),
    ),

  /** Returns the changes of a week, and the deals that are late, blocked or expected today. */
  week: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetWeek.default({}))
    .query(({ ctx: { services, actor }, input: { week = null } }): Promise<WeekReport> =>
      readWeek(services, actor, week, new Date()),
    ),

  /** Returns whether the user receives the weekly digest, and whether mail is configured. */
  digest: personal.query(async ({ ctx: { db, user, services } }) => ({
    isOn: await readDigestChoice(db, user.id),
    hasMail: services.mailer !== null,
  })),

  setDigest: personal
    .input(SetDigest)
    .mutation(({ ctx, input: { isOn } }) =>
      audited(ctx, { action: 'account.digest-changed', subject: isOn ? 'on' : 'off' }, (tx) =>
        saveDigestChoice(tx, ctx.user.id, isOn),
      ),
    ),

  money: personal
    .meta({ isLong: true })
    .query(({ ctx: { services, actor, user } }): Promise<MoneyFigures> => {
      requireCapability(user.role, 'seeMoney')
      return readMoney(services, actor, new Date())
    }),

  flow: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetFlow)
    .query(({ ctx: { services, actor }, input: { months } }): Promise<FlowFigures> =>
      readFlow(services, actor, new Date(), months),
    ),

  /** Returns the usual days of each step, for the partner of a deal if given, otherwise for the tenant. */
  usual: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetDeal.optional())
    .query(async ({ ctx: { services, actor }, input }): Promise<UsualSteps> => {
      const partners = input && (await readDealPartners(services.db, actor.tenant, [input.id]))
      return readUsualSteps(services, partners?.get(input!.id) ?? actor, new Date())
    }),

  /** Returns the flow figures for each value of a field. */
  flowSlices: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetSlices)
    .query(({ ctx: { services, actor }, input: { slice, months } }): Promise<SliceFigures> =>
      readSlices(services, actor, new Date(), slice, months),
    ),

  /** Returns deals created, approved, installed and funded by week or month. */
  trends: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetTrends)
    .query(({ ctx: { services, actor }, input: { months, unit } }): Promise<Trends> =>
      readTrends(services, actor, new Date(), months, unit),
    ),

  /** Returns the trends of a period for each value of a field. */
  slicedTrends: scoped('deals:read')
    .meta({ isLong: true })
    .input(GetSlicedTrends)
    .query(({ ctx: { services, actor }, input: { slice, months } }): Promise<SlicedTrends> =>
      readSlicedTrends(services, actor, new Date(), slice, months),
    ),
})
