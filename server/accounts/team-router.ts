import { z } from 'zod'
import type { Database } from '#db/client.ts'
import { type Actor, isInternal, tenantOfPartner } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { forManagers, forPartnerManagers, router } from '../access/procedure.ts'
import { ApiError } from '../errors.ts'
import { changeRole, inviteAgain, inviteUser, linkDepsOf, removeUser, resetPassword } from './actions.ts'
import { type Everyone, type Owner, isEveryone } from './partner.ts'
import { readPartner, shareScorecard } from './store.ts'
import { readTeam } from './team-store.ts'
import { ChangeRole, ChooseUser, Invite, ListTeam, RemoveUser } from './wire.ts'

const pageSize = 50

/**
 * Procedures that manage users: those of the caller's partner for admins, and those of all partners and the
 * installer for operators.
 */
export const teamRouter = router({
  /**
   * Returns a page of users in order of e-mail address. `next` is the cursor of the next page, or null on the
   * last page.
   */
  list: forManagers.input(ListTeam).query(async ({ ctx, input: { partner, cursor, ...filter } }) => {
    const rows = await readTeam(ctx.db, {
      ...filter,
      owner: await ownerOf(ctx, partner),
      behind: cursor ?? undefined,
      limit: pageSize + 1,
    })
    const people = rows.slice(0, pageSize)
    const { email, id } = people.at(-1) ?? {}
    return { people, next: rows.length > people.length ? { email: email!, id: id! } : null }
  }),

  /** Invites a user. Returns the link only if it was not mailed. */
  invite: forManagers.input(Invite).mutation(async ({ ctx, input: { email, name, role, partner } }) => {
    const partnerId = await ownerOf(ctx, partner)
    if (isEveryone(partnerId))
      throw new ApiError('BAD_REQUEST', 'The request is not valid', { errors: ['partner: must be given'] })
    const user = { email, name, role: partnerId === null ? ('operator' as const) : role, partnerId }
    return unlessMailed(await inviteUser(ctx, linkDepsOf(ctx.services), user))
  }),

  /** Creates a new link for an invited user who has not joined. The previous link stops working. */
  inviteAgain: forManagers
    .input(ChooseUser)
    .mutation(async ({ ctx, input: { id } }) =>
      unlessMailed(await inviteAgain(ctx, linkDepsOf(ctx.services), ctx.tenant, id)),
    ),

  /**
   * Changes a partner's member to an admin, or an admin to a member. Takes effect immediately in all
   * browsers.
   */
  changeRole: forManagers.input(ChangeRole).mutation(({ ctx, input }) => changeRole(ctx, ctx.tenant, input)),

  /** Removes a user and signs them out immediately. */
  remove: forManagers
    .input(RemoveUser)
    .mutation(async ({ ctx, input }) => void (await removeUser(ctx, ctx.tenant, input))),

  /** Returns true if the partner's members can see the scorecard. */
  sharesScorecard: forPartnerManagers.query(
    async ({ ctx: { db, partnerId } }) => (await readPartner(db, partnerId)).membersSeeScorecard,
  ),

  /** Shows the scorecard to the partner's members, or hides the scorecard. */
  shareScorecard: forPartnerManagers
    .input(z.object({ isShared: z.boolean() }))
    .mutation(async ({ ctx, input: { isShared } }) => {
      const subject = isShared ? 'shown to members' : 'hidden from members'
      await audited(ctx, { action: 'scorecard.shared', subject, partnerId: ctx.partnerId }, (tx) =>
        shareScorecard(tx, ctx.partnerId, isShared),
      )
      return {}
    }),

  /**
   * Creates a link that allows a user to set a new password within an hour. Returns the link only if it was
   * not mailed.
   */
  reset: forManagers
    .input(ChooseUser)
    .mutation(async ({ ctx, input: { id } }) =>
      unlessMailed(await resetPassword(ctx, linkDepsOf(ctx.services), ctx.tenant, id)),
    ),
})

const unlessMailed = ({ email, link, mailed }: Awaited<ReturnType<typeof inviteUser>>) => ({
  email,
  link: mailed === true ? null : link,
})

/** Returns whose users to list: the tenant's, those of the partner that an operator names, or all. */
async function ownerOf(
  { db, actor }: { db: Database; actor: Actor },
  partner: string | null | undefined,
): Promise<Owner | Everyone> {
  if (partner === undefined) return actor.tenant
  if (!isInternal(actor)) throw new ApiError('FORBIDDEN', 'Only operators who see all partners can do this')
  return partner === null ? null : tenantOfPartner({ db }, partner)
}
