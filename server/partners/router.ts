import { reachOfPartner } from '../access/actor.ts'
import { forOperators, router } from '../access/procedure.ts'
import { changePartnerZone } from '../accounts/actions.ts'
import { createPartner, renamePartner, resumePartner, suspendPartner } from './actions.ts'
import { readPartners } from './store.ts'
import { CreatePartner, ListPartners, NamePartner, RenamePartner, SetPartnerZone } from './wire.ts'

const pageSize = 50

/** The partners, for operators. */
export const partnersRouter = router({
  /**
   * Returns a page of partners by slug; `next` is the cursor of the following page, null when there is none.
   */
  list: forOperators.input(ListPartners).query(async ({ ctx: { services }, input: { search, cursor } }) => {
    const rows = await readPartners(services.db, { search, behind: cursor ?? undefined, limit: pageSize + 1 })
    const partners = rows.slice(0, pageSize)
    return { partners, next: rows.length > partners.length ? partners.at(-1)!.slug : null }
  }),

  create: forOperators
    .input(CreatePartner)
    .mutation(async ({ ctx, input: { slug, name } }) => void (await createPartner(ctx, slug, name))),

  rename: forOperators
    .input(RenamePartner)
    .mutation(async ({ ctx, input: { slug, name } }) =>
      renamePartner(ctx, await reachOfPartner(ctx, slug), slug, name),
    ),

  /** Sets the time zone of a partner; null for that of most of its deals. */
  setTimeZone: forOperators
    .input(SetPartnerZone)
    .mutation(async ({ ctx, input: { slug, timeZone } }) =>
      changePartnerZone(ctx, await reachOfPartner(ctx, slug), slug, timeZone),
    ),

  /** Blocks all access for the partner and sends nothing to it until it is resumed. */
  suspend: forOperators
    .input(NamePartner)
    .mutation(async ({ ctx, input: { slug } }) => suspendPartner(ctx, await reachOfPartner(ctx, slug), slug)),

  resume: forOperators
    .input(NamePartner)
    .mutation(async ({ ctx, input: { slug } }) => resumePartner(ctx, await reachOfPartner(ctx, slug), slug)),
})
