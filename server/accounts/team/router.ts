import type { Transaction } from '#db/client.ts'
import { type Actor, isInternal, reachOfPartner } from '../../access/actor.ts'
import { audited } from '../../access/audited.ts'
import { forManagers, forOperators, router } from '../../access/procedure.ts'
import { Refusal, notFound } from '../../protocol/errors.ts'
import type { Services } from '../../runtime/services.ts'
import { invite, issueLink, mailInvitation } from '../links/send-link.ts'
import type { AllPartners, Owner } from '../partner.ts'
import { readPartner } from '../store.ts'
import { type NewMember, findUser } from '../user-store.ts'
import type { User } from '../user.ts'
import { ChangeRole, ChooseUser, Invite, ListTeam, RemoveUser } from '../wire.ts'
import {
  type HeldUser,
  type UserWithin,
  findWithin,
  holdInvited,
  holdUser,
  readTeam,
  removeUser,
  setRole,
} from './store.ts'

const pageSize = 50

interface Asking {
  services: Services
  actor: Actor
}

/** The people of a partner, for its admins; for operators those within reach, the installer's own staff among them. */
export const teamRouter = router({
  /** A page of people by address; `next` is the cursor of the page behind it, null when there is none. */
  list: forManagers.input(ListTeam).query(async ({ ctx, input: { partner, cursor, ...filter } }) => {
    const rows = await readTeam(ctx.services.db, {
      ...filter,
      whose: await whoseOf(ctx, partner),
      behind: cursor ?? undefined,
      limit: pageSize + 1,
    })
    const people = rows.slice(0, pageSize)
    return { people, next: rows.length > people.length ? people.at(-1)!.email : null }
  }),

  /** Invites somebody; the link is given only when it was not mailed. */
  invite: forManagers.input(Invite).mutation(async ({ ctx, input: { email, name, role, partner } }) => {
    const partnerId = await whoseOf(ctx, partner)
    if (partnerId === 0)
      throw new Refusal('BAD_REQUEST', 'The request is not valid', { errors: ['partner: must be given'] })
    const user = { email, name, role: partnerId === null ? ('operator' as const) : role, partnerId }
    return deliver(
      ctx,
      user,
      await audited(
        ctx,
        { action: 'user.invited', subject: describe(user), partnerId },
        async (tx) =>
          (await invite({ db: tx, publicUrl: ctx.services.config.publicUrl }, user)) ??
          refuseTaken(tx, ctx.actor, user),
      ),
    )
  }),

  /** A new link for somebody who was invited and has not come yet; the link before it works no longer. */
  inviteAgain: forManagers.input(ChooseUser).mutation(async ({ ctx, input: { id } }) => {
    const invited = await audited(
      ctx,
      (user: User) => ({ action: 'user.invited', subject: describe(user), partnerId: user.partnerId }),
      async (tx) => {
        const user = await holdInvited(tx, ctx.reach, id)
        if (user === undefined) throw notFound('Invitation')
        return {
          ...user,
          link: await issueLink({ db: tx, publicUrl: ctx.services.config.publicUrl }, id, 'invitation'),
        }
      },
    )
    return deliver(ctx, invited, invited.link)
  }),

  /** Makes a partner's member an admin, or an admin a member, at once in all browsers. */
  changeRole: forManagers.input(ChangeRole).mutation(async ({ ctx, input: { id, role, evenLast } }) => {
    await audited(
      ctx,
      (user: User) => ({
        action: 'user.role-changed',
        subject: `${user.email} (${user.role} → ${role})`,
        partnerId: user.partnerId,
      }),
      async (tx) => {
        const user = await holdUser(tx, ctx.reach, id)
        if (user === undefined) throw notFound('User')
        if (user.role === 'operator')
          throw new Refusal('BAD_REQUEST', "The installer's own staff have no other role")
        if (role === 'member') refuseLast(ctx.actor, user, evenLast)
        await setRole(tx, ctx.reach, id, role)
        return user
      },
    )
  }),

  /** Removes somebody, who is signed out at once. */
  remove: forManagers.input(RemoveUser).mutation(async ({ ctx, input: { id, evenLast } }) => {
    await audited(
      ctx,
      (user: User) => ({ action: 'user.removed', subject: describe(user), partnerId: user.partnerId }),
      async (tx) => {
        const user = await holdUser(tx, ctx.reach, id)
        if (user === undefined) throw notFound('User')
        refuseLast(ctx.actor, user, evenLast)
        await removeUser(tx, ctx.reach, id)
        return user
      },
    )
  }),

  /** A link with which somebody sets a new password, within an hour. */
  reset: forOperators.input(ChooseUser).mutation(async ({ ctx, input: { id } }) => {
    const { email, link } = await audited(
      ctx,
      (user: User) => ({ action: 'user.reset', subject: describe(user), partnerId: user.partnerId }),
      async (tx) => {
        const user = await findWithin(tx, ctx.actor.reach, id)
        if (user === undefined) throw notFound('User')
        return {
          ...user,
          link: await issueLink({ db: tx, publicUrl: ctx.services.config.publicUrl }, id, 'reset'),
        }
      },
    )
    return { email, link }
  }),
})

const describe = ({ email, role }: Pick<User, 'email' | 'role'>) => `${email} (${role})`

/** Returns whose people are meant: those of the one partner within reach, or else whose an operator says; all when none is named. */
async function whoseOf(
  { services, actor }: Asking,
  partner: string | null | undefined,
): Promise<Owner | AllPartners> {
  if (isInternal(actor))
    return typeof partner === 'string'
      ? reachOfPartner(services, partner)
      : partner === null
        ? null
        : actor.reach
  if (partner !== undefined) throw new Refusal('FORBIDDEN', 'This is for operators who see all partners')
  return actor.reach
}

async function deliver(
  { services }: Asking,
  { email, partnerId }: Pick<UserWithin, 'email' | 'partnerId'>,
  link: string,
): Promise<{ email: string; link: string | null }> {
  const partnerName = partnerId === null ? null : (await readPartner(services.db, partnerId)).name
  return { email, link: (await mailInvitation(services, email, link, partnerName)) === true ? null : link }
}

/** Says why somebody cannot be invited; to an admin not where else the address is known. */
async function refuseTaken(tx: Transaction, actor: Actor, { email, partnerId }: NewMember): Promise<never> {
  const found = await findUser(tx, email)
  const elsewhere =
    found !== undefined && isInternal(actor) ? await findWithin(tx, actor.reach, found.id) : undefined
  const reason =
    found?.partnerId === partnerId
      ? 'is on the team already'
      : elsewhere === undefined
        ? 'cannot be invited here: use another one'
        : `belongs to ${elsewhere.partnerId === null ? "the installer's staff" : (await readPartner(tx, elsewhere.partnerId)).name} already`
  throw new Refusal('BAD_REQUEST', 'The address cannot be invited', { errors: [`email: ${reason}`] })
}

/** Somebody must be left to look after a partner, unless an operator says so; and somebody to operate all of this in any case. */
function refuseLast(actor: Actor, { role, isLast }: HeldUser, evenLast: boolean): void {
  if (!isLast || (role === 'admin' && actor.user?.role === 'operator' && evenLast)) return
  throw new Refusal(
    'BAD_REQUEST',
    role === 'operator'
      ? 'This is the last operator: invite another one first'
      : 'This is the last admin: make somebody else an admin first',
  )
}
