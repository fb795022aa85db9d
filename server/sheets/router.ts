import { forPartnerManagers, router } from '../access/procedure.ts'
import { ApiError, notFound } from '../errors.ts'
import { dependsOnViewer } from '../search/resolve-query.ts'
import { createToken, rotateToken } from '../tokens/actions.ts'
import { dayMs } from '../values/units.ts'
import { sheetLinkDays } from './policy.ts'
import { type Sheet, csvColumnsOf } from './sheet.ts'
import { readSheet } from './store.ts'
import { CreateSheet, type NewSheet, RotateSheet, type SheetAddress } from './wire.ts'

export const sheetsRouter = router({
  /** Creates a sheet link for the partner. @throws ApiError 400 if the deals depend on who looks */
  create: forPartnerManagers
    .input(CreateSheet)
    .mutation(async ({ ctx, input: { name, ...sheet } }): Promise<NewSheet> => {
      if (dependsOnViewer(sheet.filter))
        throw new ApiError('BAD_REQUEST', 'The request is not valid', {
          errors: ['filter: must not depend on the current user; remove isMine and the assignee "me"'],
        })
      const expiresAt = new Date(Date.now() + sheetLinkDays * dayMs)
      const { partnerId } = ctx
      const { id, token } = await createToken(ctx, { partnerId, name, scopes: [], expiresAt, sheet })
      return { name, token, curl: null, expiresAt, sheet: addressOf(ctx.config.publicUrl, id, sheet) }
    }),

  /** Replaces a sheet link with a new link for the same view. Both links work during the grace period. */
  rotate: forPartnerManagers
    .input(RotateSheet)
    .mutation(async ({ ctx, input }): Promise<NewSheet & { oldEndsAt: Date }> => {
      const { config, db, partnerId } = ctx
      const sheet = await readSheet(db, partnerId, input.id)
      if (sheet === undefined) throw notFound('Sheet link')
      const { id, name, token, expiresAt, oldEndsAt } = await rotateToken(ctx, partnerId, {
        ...input,
        now: new Date(),
      })
      return { name, token, curl: null, expiresAt, oldEndsAt, sheet: addressOf(config.publicUrl, id, sheet) }
    }),
})

const addressOf = (publicUrl: string, id: number, { columns }: Pick<Sheet, 'columns'>): SheetAddress => ({
  url: `${publicUrl}/api/sheets/${id}.csv`,
  columns: csvColumnsOf(columns).map(({ title, kind }) => ({ title, kind })),
})
