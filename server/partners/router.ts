import { createPartner } from '../accounts/store.ts'
import { reachOfPartner } from '../actor.ts'
import { audited } from '../audited.ts'
import { Refusal } from '../errors.ts'
import { forOperators, router } from '../procedure.ts'
import { readPartners, renamePartner, resumePartner, suspendPartner } from './store.ts'
import { CreatePartner, ListPartners, NamePartner, RenamePartner } from './wire.ts'

const pageSize = 50

/** All partners, for operators. */
export const partnersRouter = router({
  /** A page of partners by slug; `next` is the cursor of the page behind it, null when there is none. */
  list: forOperators.input(ListPartners).query(async ({ ctx: { services }, input: { search, cursor } }) => {
    const rows = await readPartners(services.db, { search, behind: cursor ?? undefined, limit: pageSize + 1 })
    const partners = rows.slice(0, pageSize)
    return { partners, next: rows.length > partners.length ? partners.at(-1)!.slug : null }
  }),

  create: forOperators.input(CreatePartner).mutation(async ({ ctx, input: { slug, name } }) => {
    await audited(ctx, ({ id }: { id: number }) => ({ action: 'partner.created', subject: slug, partnerId: id }), async (tx) => {
      const partner = await createPartner(tx, slug, name)
      if (partner === undefined) throw new Refusal('BAD_REQUEST', 'The request is not valid', { errors: ['slug: is taken by another partner'] })
      return partner
    })
  }),

  rename: forOperators.input(RenamePartner).mutation(async ({ ctx, input: { slug, name } }) => {
    const partnerId = await reachOfPartner(ctx.services, slug)
    await audited(ctx, { action: 'partner.renamed', subject: `${slug} (${name})`, partnerId }, (tx) => renamePartner(tx, partnerId, name))
  }),

  /** Lets nobody of the partner in, and sends nothing to it, until it is resumed. */
  suspend: forOperators.input(NamePartner).mutation(async ({ ctx, input: { slug } }) => {
    const partnerId = await reachOfPartner(ctx.services, slug)
    await audited(ctx, { action: 'partner.suspended', subject: slug, partnerId }, async (tx) => {
      if (!await suspendPartner(tx, partnerId)) throw new Refusal('BAD_REQUEST', 'The partner is suspended already')
    })
  }),

  resume: forOperators.input(NamePartner).mutation(async ({ ctx, input: { slug } }) => {
    const partnerId = await reachOfPartner(ctx.services, slug)
    await audited(ctx, { action: 'partner.resumed', subject: slug, partnerId }, async (tx) => {
      if (!await resumePartner(tx, partnerId)) throw new Refusal('BAD_REQUEST', 'The partner is not suspended')
    })
  }),
})
