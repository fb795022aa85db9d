import { z } from 'zod'
import { isInternal, partnerOf } from '../../access/actor.ts'
import { audited } from '../../access/audited.ts'
import { personal } from '../../access/procedure.ts'
import { notFound } from '../../errors.ts'
import { RowId } from '../../values/input.ts'
import { chosenMax } from '../policy.ts'
import { GetDeal } from '../wire.ts'
import { type Assignment, type Colleague, assignDeals, readAssignee, readColleagues } from './store.ts'

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

// Used only by the portal, because the REST API has no field for assignees.
export const assigneeProcedures = {
  /**
   * Returns the team members who can be assigned deals, in order of name. Returns [] if the actor acts for no
   * partner.
   */
  colleagues: personal.query(async ({ ctx: { db, actor, user } }) => {
    const team = isInternal(actor) ? [] : await readColleagues(db, partnerOf(actor))
    return team.map((colleague) => ({ ...colleague, isMe: colleague.id === user.id }))
  }),

  /** Returns the assignee of a deal, or null if the deal is unassigned. */
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
}
