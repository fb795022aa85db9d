import { partnerOf } from '../access/actor.ts'
import { forManagers, personal, router } from '../access/procedure.ts'
import { describeBrowser } from '../accounts/browser.ts'
import { ownerOf } from '../accounts/partner.ts'
import { isAdmin } from '../accounts/role.ts'
import { ApiError, notFound } from '../errors.ts'
import { createToken, revokeToken, rotateToken } from './actions.ts'
import { endAfter, endOfDay, stateOf } from './expiry.ts'
import { usageDays, internalScopes } from './policy.ts'
import { isTokenWithin, readTokens, readExpiring } from './store.ts'
import { curlOf } from './token.ts'
import { readDays } from './usage-store.ts'
import {
  CreateToken,
  ListTokens,
  type NewToken,
  ReadDays,
  RevokeToken,
  RotateToken,
  type TokenLine,
} from './wire.ts'

const pageSize = 50

export const tokensRouter = router({
  /** Returns a page of the tenant's tokens, newest first. */
  list: forManagers
    .input(ListTokens)
    .query(async ({ ctx: { db, tenant }, input }): Promise<{ tokens: TokenLine[]; next: number | null }> => {
      const rows = await readTokens(db, tenant, input, pageSize + 1)
      const now = new Date()
      const tokens = rows
        .slice(0, pageSize)
        .map(({ lastUsedAt, lastUsedFrom, lastUsedBy, replacedById, isSuspended, ...row }) => ({
          ...row,
          state: stateOf({ ...row, replacedById, isSuspended }, now),
          lastUse: lastUsedAt && { at: lastUsedAt, from: lastUsedFrom, by: describeAgent(lastUsedBy ?? '') },
        }))
      return { tokens, next: rows.length > pageSize ? tokens.at(-1)!.id : null }
    }),

  /** Returns the use of a token per day. */
  days: forManagers.input(ReadDays).query(async ({ ctx: { db, tenant }, input: { id } }) => {
    if (!(await isTokenWithin(db, tenant, id))) throw notFound('Token')
    return readDays(db, tenant, id, usageDays)
  }),

  /**
   * For admins, returns how many tokens expire within 7 days, and the first expiry. Returns no tokens for
   * other roles.
   */
  expiring: personal.query(({ ctx: { db, actor, user } }) =>
    isAdmin(user.role) ? readExpiring(db, partnerOf(actor)) : { count: 0, first: null },
  ),

  /** Creates a token for the tenant, or an internal token. */
  create: forManagers
    .input(CreateToken)
    .mutation(async ({ ctx, input: { name, scopes, span, day } }): Promise<NewToken> => {
      const partnerId = ownerOf(ctx.tenant)
      const now = new Date()
      const expiresAt = span === 'day' ? endOfDay(day, ctx.actor.zone, now) : endAfter(span, now)
      if (expiresAt === undefined) throw invalid('day: must be today or later, and within ten years')
      if (partnerId === null && !scopes.every((scope) => internalScopes.includes(scope)))
        throw invalid(`scopes: must be some of ${internalScopes.join(', ')}`)
      const { token } = await createToken(ctx, { partnerId, name, scopes: [...new Set(scopes)], expiresAt })
      return { name, token, curl: curlOf(ctx.config.publicUrl, token, scopes), expiresAt }
    }),

  /** Replaces a token. Both tokens are valid during the grace period. */
  rotate: forManagers
    .input(RotateToken)
    .mutation(async ({ ctx, input: { id, grace } }): Promise<NewToken & { oldEndsAt: Date }> => {
      const { name, token, scopes, expiresAt, oldEndsAt } = await rotateToken(ctx, ctx.tenant, {
        id,
        grace,
        now: new Date(),
      })
      return { name, token, curl: curlOf(ctx.config.publicUrl, token, scopes), expiresAt, oldEndsAt }
    }),

  revoke: forManagers
    .input(RevokeToken)
    .mutation(({ ctx, input: { id } }) => revokeToken(ctx, ctx.tenant, id)),
})

const agentMax = 40

/**
 * Returns the browser in a `User-Agent` or, for a program such as `curl`, the first word. Null if the text is
 * empty.
 */
function describeAgent(agent: string): string | null {
  if (agent.startsWith('Mozilla/')) return describeBrowser(agent)
  return /^[^\s/]+/.exec(agent.trim())?.[0].slice(0, agentMax) ?? null
}

const invalid = (error: string) =>
  new ApiError('BAD_REQUEST', 'The request is not valid', { errors: [error] })
