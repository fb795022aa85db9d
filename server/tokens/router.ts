import type { Transaction } from '#db/client.ts'
import { partnerOf } from '../actor.ts'
import { audited } from '../audited.ts'
import { Refusal, notFound } from '../errors.ts'
import { forManagers, personal, router } from '../procedure.ts'
import { describeAgent } from './agent.ts'
import { createToken } from './create-token.ts'
import { endAfter, endOfDay, stateOf } from './life.ts'
import { rotateToken } from './rotate-token.ts'
import { internalScopes } from './scope.ts'
import { countWorkingTokens, holdToken, isTokenWithin, labelToken, readTokens, revokeToken } from './store.ts'
import { curlOf } from './token.ts'
import { readDays } from './usage-store.ts'
import { readExpiring } from './warning-store.ts'
import { CreateToken, ListTokens, type NewToken, ReadDays, RevokeToken, RotateToken, type TokenLine } from './wire.ts'

/** More than this many that work nobody keeps an eye on. */
const tokensMax = 100

const pageSize = 50

const daysShown = 30

export const tokensRouter = router({
  /** A page of the tokens within reach, the newest first. */
  list: forManagers.input(ListTokens).query(async ({ ctx: { services: { db }, reach }, input }): Promise<{ tokens: TokenLine[]; next: number | null }> => {
    const rows = await readTokens(db, reach, input, pageSize + 1)
    const now = new Date()
    const tokens = rows.slice(0, pageSize).map(({ lastUsedAt, lastUsedFrom, lastUsedBy, replacedById, isSuspended, ...row }) => ({
      ...row,
      state: stateOf({ ...row, replacedById, isSuspended }, now),
      lastUse: lastUsedAt && { at: lastUsedAt, from: lastUsedFrom, by: describeAgent(lastUsedBy ?? '') },
    }))
    return { tokens, next: rows.length > pageSize ? tokens.at(-1)!.id : null }
  }),

  /** How often a token was used on each of the last 30 days, today the last of them. */
  days: forManagers.input(ReadDays).query(async ({ ctx: { services: { db }, reach }, input: { id } }) => {
    if (!await isTokenWithin(db, reach, id)) throw notFound('Token')
    return readDays(db, reach, id, daysShown)
  }),

  /** How many tokens an admin has to renew within 7 days, and when the first of them expires; for others none. */
  expiring: personal.query(({ ctx: { services: { db }, actor, user } }) => (
    user.role === 'admin' ? readExpiring(db, partnerOf(actor)) : { count: 0, first: null })),

  /** Makes a token of the one partner within reach, or else one of the installer's own staff. */
  create: forManagers.input(CreateToken).mutation(({ ctx, input: { name, scopes, span, day } }): Promise<NewToken> => {
    const partnerId = ctx.reach === 0 ? null : ctx.reach
    const now = new Date()
    const expiresAt = span === 'day' ? endOfDay(day, now) : endAfter(span, now)
    if (expiresAt === undefined) throw invalid('day: must be today or later, and within ten years')
    if (partnerId === null && !scopes.every((scope) => internalScopes.includes(scope))) throw invalid(`scopes: must be some of ${internalScopes.join(', ')}`)
    return audited(ctx, ({ label }) => ({ action: 'token.created', subject: label, partnerId }), async (tx: Transaction) => {
      if (await countWorkingTokens(tx, partnerId) >= tokensMax) throw new Refusal('BAD_REQUEST', `There are ${tokensMax} working tokens already: revoke one first`)
      const made = await createToken(tx, { partnerId, name, scopes: [...new Set(scopes)], expiresAt })
      return { ...made, label: await labelToken(tx, ctx.reach, made.id) }
    }).then(({ token }) => ({ name, token, curl: curlOf(ctx.services.config.publicUrl, token, scopes), expiresAt }))
  }),

  /** Makes a token that takes the place of another; both work for the time of grace. */
  rotate: forManagers.input(RotateToken).mutation(({ ctx, input: { id, grace } }): Promise<NewToken & { oldEndsAt: Date }> => (
    audited(ctx, ({ label, made: { partnerId } }) => ({ action: 'token.rotated', subject: label, partnerId }), async (tx: Transaction) => {
      const made = await rotateToken(tx, ctx.reach, { id, grace, now: new Date() })
      if (made === 'missing') throw notFound('Token')
      if (made === 'ended') throw new Refusal('BAD_REQUEST', 'This token has ended, or is replaced already')
      return { made, label: await labelToken(tx, ctx.reach, id) }
    }).then(({ made: { name, token, scopes, expiresAt, oldEndsAt } }) => ({ name, token, curl: curlOf(ctx.services.config.publicUrl, token, scopes), expiresAt, oldEndsAt })))),

  /** Ends a token at once. */
  revoke: forManagers.input(RevokeToken).mutation(async ({ ctx, input: { id } }) => {
    await audited(ctx, ({ label, partnerId }) => ({ action: 'token.revoked', subject: label, partnerId }), async (tx: Transaction) => {
      const token = await holdToken(tx, ctx.reach, id)
      if (token === undefined || token.revokedAt !== null) throw notFound('Token')
      await revokeToken(tx, ctx.reach, id)
      return { partnerId: token.partnerId, label: await labelToken(tx, ctx.reach, id) }
    })
  }),
})

const invalid = (error: string) => new Refusal('BAD_REQUEST', 'The request is not valid', { errors: [error] })
