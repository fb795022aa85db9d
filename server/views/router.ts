import { z } from 'zod'
import type { Actor, SignedIn } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { router, scoped } from '../access/procedure.ts'
import { lockMember } from '../accounts/limit-store.ts'
import { ApiError, notFound } from '../errors.ts'
import { RowId, line, text } from '../values/input.ts'
import { countViews, listViews, removeView, renameView, saveView } from './store.ts'

/** Maximum number of views per user, to keep the list manageable. */
const viewsMax = 100

/** Returns the signed-in user. System accounts have no views. */
function personOf(actor: Actor): SignedIn {
  if (actor.user === null) throw new ApiError('FORBIDDEN', 'Views are for people who are signed in')
  return actor.user
}

const name = line(80).min(1, { error: 'must not be empty' })

/** A view to create, or to replace if the user has a view of the same name. */
const SaveView = z.object({
  name,
  /** Query string of the deals page, without the question mark. */
  query: text(4000),
  isShared: z.boolean(),
})

const RenameView = z.object({ id: RowId, name })

const RemoveView = z.object({ id: RowId })

export const viewsRouter = router({
  list: scoped('deals:read').query(({ ctx: { db, actor } }) =>
    listViews(db, actor.tenant, personOf(actor).id),
  ),

  save: scoped('deals:read')
    .input(SaveView)
    .mutation(async ({ ctx, input }) => {
      const { actor } = ctx
      const { id: userId } = personOf(actor)
      return {
        id: await audited(ctx, { action: 'view.saved', subject: input.name }, async (tx) => {
          await lockMember(tx, userId)
          if ((await countViews(tx, actor.tenant, userId)) >= viewsMax)
            throw new ApiError('BAD_REQUEST', `You have ${viewsMax} views already; remove one first`)
          return saveView(tx, actor.tenant, userId, input)
        }),
      }
    }),

  rename: scoped('deals:read')
    .input(RenameView)
    .mutation(async ({ ctx, input: { id, name } }) => {
      await audited(ctx, { action: 'view.renamed', subject: name }, async (tx) => {
        const outcome = await renameView(tx, ctx.actor.tenant, personOf(ctx.actor).id, id, name)
        if (outcome === 'missing') throw notFound('View')
        if (outcome === 'taken')
          throw new ApiError('BAD_REQUEST', 'The request is not valid', {
            errors: ['name: is taken by another of your views'],
          })
      })
      return {}
    }),

  remove: scoped('deals:read')
    .input(RemoveView)
    .mutation(async ({ ctx, input: { id } }) => {
      await audited(
        ctx,
        (name: string) => ({ action: 'view.removed', subject: name }),
        async (tx) => {
          const name = await removeView(tx, ctx.actor.tenant, personOf(ctx.actor).id, id)
          if (name === undefined) throw notFound('View')
          return name
        },
      )
      return {}
    }),
})
