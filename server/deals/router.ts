import { z } from 'zod'
import { isInternal, partnerOf } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { personal, forOperators, router, scoped } from '../access/procedure.ts'
import { notFound } from '../errors.ts'
import { RowId } from '../values/input.ts'
import { Prepared } from '../values/prepared.ts'
import {
  type Assignment,
  type Colleague,
  assignDeals,
  readAssignee,
  readColleagues,
} from './assignee-store.ts'
import { type KnownDeal, staffKey } from './deal.ts'
import { readObserved } from './event-store.ts'
import { type Observed, notObserved } from './event.ts'
import { dealOperations } from './operations.ts'
import { SetStaffPhone } from './phone.ts'
import { chosenMax } from './policy.ts'
import { readPhones, setPhone, readKnownDeal } from './store.ts'
import { GetDeal } from './wire.ts'

/** Deals to assign, each with a user, or null for nobody. */
const AssignDeals = z
  .array(z.object({ ids: z.array(GetDeal.shape.id).min(1).max(chosenMax), userId: RowId.nullable() }))
  .min(1)
  .max(chosenMax)
  .refine((all) => all.flatMap(({ ids }) => ids).length <= chosenMax, {
    error: `must have at most ${chosenMax} deals`,
  })

/** Describes assignments for the audit log, such as `Ana, nobody (3 deals)` or `Ana (deal 42)`. */
function subjectOf(assigned: Assignment[], team: Colleague[]): string {
  const ids = assigned.flatMap((each) => each.ids)
  const names = assigned.map(({ userId }) => team.find(({ id }) => id === userId)?.email ?? 'nobody')
  return `${names.join(', ')} (${ids.length === 1 ? `deal ${ids[0]}` : `${ids.length} deals`})`
}

export const dealsRouter = router({
  ...dealOperations,

  /** Returns the time up to which deals are current, or null if there is no source. */
  asOf: personal.query(({ ctx: { services } }) => services.asOf.get()),

  /**
   * Returns a deal and the times that the portal observed. Unlike the REST API, distinguishes false flags
   * from unknown ones.
   */
  show: scoped('deals:read')
    .input(GetDeal)
    .query(async ({ ctx: { db, actor }, input: { id } }) => {
      const [json, observed] = await Promise.all([
        readKnownDeal(db, actor.tenant, id),
        readObserved(db, actor.tenant, [id]),
      ])
      if (json === undefined) throw notFound('Deal')
      const times = JSON.stringify(observed.get(id) ?? notObserved)
      return new Prepared<KnownDeal & { observed: Observed }>(`${json.slice(0, -1)},"observed":${times}}`)
    }),

  // Used only by the portal, because the REST API has no fields for assignees and phone numbers.

  /**
   * Returns the team members who can be assigned deals, in order of name. Returns [] if the actor acts for no
   * partner.
   */
  colleagues: personal.query(async ({ ctx: { db, actor, user } }) => {
    const team = isInternal(actor) ? [] : await readColleagues(db, partnerOf(actor))
    return team.map((colleague) => ({ ...colleague, isMe: colleague.id === user.id }))
  }),

  assignee: personal
    .input(GetDeal)
    .query(({ ctx: { db, actor }, input: { id } }) => readAssignee(db, actor.tenant, id)),

  /** Assigns deals within the team. Returns the previous assignees, so that the assignment can be undone. */
  assign: personal.input(AssignDeals).mutation(async ({ ctx, input }) => {
    const partnerId = partnerOf(ctx.actor)
    const team = await readColleagues(ctx.db, partnerId)
    if (input.some(({ userId }) => userId !== null && !team.some(({ id }) => id === userId)))
      throw notFound('User')
    const { before } = await audited(
      ctx,
      ({ assigned }: { assigned: Assignment[] }) => ({
        action: 'deals.assigned',
        subject: subjectOf(assigned, team),
        partnerId,
      }),
      async (tx) => {
        const assigned: Assignment[] = []
        const former: Assignment[] = []
        for (const assignment of input) {
          const previous = await assignDeals(tx, partnerId, ctx.user.id, assignment)
          former.push(...previous)
          assigned.push({ userId: assignment.userId, ids: previous.flatMap(({ ids }) => ids) })
        }
        if (former.length === 0) throw notFound('Deal')
        return { assigned, before: former }
      },
    )
    return before.map(({ ids, userId }) => ({ ids: ids.map(String), userId }))
  }),

  /** Returns the phone numbers of a deal's staff by e-mail address (in lower case). */
  phones: personal.input(GetDeal).query(async ({ ctx: { db, actor }, input: { id } }) => {
    const phones = await readPhones(db, actor.tenant, id)
    if (phones === undefined) throw notFound('Deal')
    return phones
  }),

  /** Sets the phone number of a member of the installer's staff, which applies to all deals. */
  setPhone: forOperators.input(SetStaffPhone).mutation(({ ctx, input: { email, phone } }) => {
    const key = staffKey(email)
    return audited(ctx, { action: 'staff.phone-set', subject: key, partnerId: null }, (tx) =>
      setPhone(tx, key, phone),
    )
  }),
})
