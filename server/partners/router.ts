import { isInternal, tenantOfPartner } from '../access/actor.ts'
import { forOperators, router } from '../access/procedure.ts'
import { changePartnerZone } from '../accounts/actions.ts'
import { readFileUse } from '../accounts/limit-store.ts'
import { bytesOfGb } from '../accounts/limit.ts'
import { countWithoutPartner } from '../deals/list-store.ts'
import { readOrCountTotals } from '../search/read-totals.ts'
import { changeFileQuota, createPartner, renamePartner, resumePartner, suspendPartner } from './actions.ts'
import { readPartners } from './store.ts'
import { partnerTotals } from './totals-store.ts'
import {
  CreatePartner,
  ListPartners,
  NamePartner,
  RenamePartner,
  SetFileQuota,
  SetPartnerZone,
} from './wire.ts'

const pageSize = 50

/** Procedures for operators to manage partners. */
export const partnersRouter = router({
  /** Returns a page of partners. `next` is the cursor of the next page, or null. */
  list: forOperators
    .input(ListPartners)
    .query(async ({ ctx: { services, actor }, input: { search, cursor, sort } }) => {
      // An operator who views as a partner sees only the totals of that partner.
      const counted = isInternal(actor) ? await readOrCountTotals(services, partnerTotals, actor) : null
      const skip = cursor ?? 0
      const rows = await readPartners(services.db, {
        search,
        skip,
        sort,
        totals: counted?.totals ?? null,
        limit: pageSize + 1,
      })
      const partners = rows.slice(0, pageSize)
      return {
        partners,
        /** Number of deals without a partner, or null when viewing as a partner. */
        withoutPartner: isInternal(actor) ? await countWithoutPartner(services.db) : null,
        next: rows.length > partners.length ? skip + pageSize : null,
        /** Time of the totals (ISO 8601) if they are outdated, otherwise null. */
        asOf: counted?.asOf ?? null,
      }
    }),

  create: forOperators
    .input(CreatePartner)
    .mutation(async ({ ctx, input }) => void (await createPartner(ctx, input))),

  rename: forOperators
    .input(RenamePartner)
    .mutation(async ({ ctx, input: { slug, name } }) =>
      renamePartner(ctx, await tenantOfPartner(ctx, slug), slug, name),
    ),

  /** Sets the time zone of a partner, or null for the zone of most of its deals. */
  setTimeZone: forOperators
    .input(SetPartnerZone)
    .mutation(async ({ ctx, input: { slug, timeZone } }) =>
      changePartnerZone(ctx, await tenantOfPartner(ctx, slug), slug, timeZone),
    ),

  /** Returns a partner's file usage and quota. */
  fileUse: forOperators.input(NamePartner).query(async ({ ctx, input: { slug } }) => {
    const { isDefault, ...use } = await readFileUse(ctx.db, await tenantOfPartner(ctx, slug))
    return { ...use, quotaGb: isDefault ? null : use.quotaBytes / bytesOfGb(1) }
  }),

  /** Sets the file quota of a partner in GB, or null for the default. */
  setFileQuota: forOperators
    .input(SetFileQuota)
    .mutation(async ({ ctx, input: { slug, gigabytes } }) =>
      changeFileQuota(
        ctx,
        await tenantOfPartner(ctx, slug),
        slug,
        gigabytes === null ? null : bytesOfGb(gigabytes),
      ),
    ),

  suspend: forOperators
    .input(NamePartner)
    .mutation(async ({ ctx, input: { slug } }) =>
      suspendPartner(ctx, await tenantOfPartner(ctx, slug), slug),
    ),

  resume: forOperators
    .input(NamePartner)
    .mutation(async ({ ctx, input: { slug } }) => resumePartner(ctx, await tenantOfPartner(ctx, slug), slug)),
})
