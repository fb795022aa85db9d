import type { Transaction } from '#db/client.ts'
import { isInternal } from '../../access/actor.ts'
import {
  type AuditActor,
  type AuditContext,
  type AuditEntry,
  audited,
  operatorCommand,
} from '../../access/audited.ts'
import { Refusal, notFound } from '../../protocol/errors.ts'
import { invite, issueLink, mailInvitation } from '../links/send-link.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Reach } from '../partner.ts'
import { openInvitationsMax } from '../policy.ts'
import { type TeamRole, isManager } from '../role.ts'
import { readPartner } from '../store.ts'
import { type NewMember, findUser } from '../user-store.ts'
import type { User } from '../user.ts'
import {
  type HeldUser,
  type UserWithin,
  countOtherInvitations,
  findWithin,
  holdInvited,
  holdUser,
} from './store.ts'
import * as store from './store.ts'

// What admins and operators do about people, by the portal or by command.

/** How links reach people. */
interface Means {
  publicUrl: string
  mailer: Mailer | null
}

/** The link of an invitation; `mailed` is null without a mail server. */
interface Invitation {
  email: string
  link: string
  mailed: boolean | null
}

/**
 * Invites somebody, by mail if there is a mail server. @throws Refusal 400 when the e-mail address is taken, or too many
 * invitations of the partner are open
 */
export async function inviteUser(context: AuditContext, means: Means, user: NewMember): Promise<Invitation> {
  const link = await audited(context, entryOf('user.invited', user), async (tx) => {
    await refuseTooManyOpen(tx, user)
    return (
      (await invite({ db: tx, publicUrl: means.publicUrl }, user)) ?? refuseTaken(tx, context.actor, user)
    )
  })
  return mailLink(context, means, user, link)
}

/**
 * Makes a new link for an invited user, which replaces the one before. @throws Refusal 404 when there is no
 * such invitation
 */
export async function inviteAgain(
  context: AuditContext,
  means: Means,
  reach: Reach,
  id: number,
): Promise<Invitation> {
  const invited = await audited(
    context,
    (user: User) => entryOf('user.invited', user),
    async (tx) => {
      const user = await holdInvited(tx, reach, id)
      if (user === undefined) throw notFound('Invitation')
      await refuseTooManyOpen(tx, user)
      return { ...user, link: await issueLink({ db: tx, publicUrl: means.publicUrl }, id, 'invitation') }
    },
  )
  return mailLink(context, means, invited, invited.link)
}

/**
 * Makes a partner's member an admin, or an admin a member, at once in all browsers.
 * @throws Refusal 404 when there is no such user, 400 for the last admin
 */
export async function changeRole(
  context: AuditContext,
  reach: Reach,
  { id, role, evenLast }: { id: number; role: TeamRole; evenLast: boolean },
): Promise<void> {
  await audited(
    context,
    (user: User) => ({
      action: 'user.role-changed',
      subject: `${user.email} (${user.role} → ${role})`,
      partnerId: user.partnerId,
    }),
    async (tx) => {
      const user = await holdUser(tx, reach, id)
      if (user === undefined) throw notFound('User')
      if (user.role === 'operator')
        throw new Refusal('BAD_REQUEST', "The installer's own staff have no other role")
      if (!isManager(role)) refuseLast(context.actor, user, evenLast)
      await store.setRole(tx, reach, id, role)
      return user
    },
  )
}

/**
 * Removes a user and ends its sessions. What the user shared with the team goes to whoever removes it, or to
 * another one of the team. @throws Refusal 404 when there is no such user, 400 for the last
 * admin or operator
 */
export function removeUser(
  context: AuditContext,
  reach: Reach,
  { id, evenLast }: { id: number; evenLast: boolean },
): Promise<HeldUser> {
  return audited(
    context,
    (user: User) => entryOf('user.removed', user),
    async (tx) => {
      const user = await holdUser(tx, reach, id)
      if (user === undefined) throw notFound('User')
      const { actor } = context
      refuseLast(actor, user, evenLast)
      await store.deleteUser(tx, reach, id, actor === operatorCommand ? null : (actor.user?.id ?? null))
      return user
    },
  )
}

/** Makes a link with which a user sets a new password. @throws Refusal 404 when there is no such user */
export async function resetPassword(
  context: AuditContext,
  { publicUrl }: Pick<Means, 'publicUrl'>,
  reach: Reach,
  id: number,
): Promise<{ email: string; link: string }> {
  const { email, link } = await audited(
    context,
    (user: User) => entryOf('user.reset', user),
    async (tx) => {
      const user = await findWithin(tx, reach, id)
      if (user === undefined) throw notFound('User')
      return { ...user, link: await issueLink({ db: tx, publicUrl }, id, 'reset') }
    },
  )
  return { email, link }
}

const entryOf = (action: AuditEntry['action'], { email, role, partnerId }: Omit<User, 'id'>): AuditEntry => ({
  action,
  subject: `${email} (${role})`,
  partnerId,
})

async function mailLink(
  { db }: AuditContext,
  { mailer }: Means,
  { email, partnerId }: Pick<UserWithin, 'email' | 'partnerId'>,
  link: string,
): Promise<Invitation> {
  const partnerName = partnerId === null ? null : (await readPartner(db, partnerId)).name
  return { email, link, mailed: await mailInvitation({ db, mailer }, email, link, partnerName) }
}

/** Throws when a partner has as many open invitations as it may; the installer's staff has no such limit. */
async function refuseTooManyOpen(
  tx: Transaction,
  { partnerId, email }: Pick<NewMember, 'partnerId' | 'email'>,
): Promise<void> {
  if (partnerId === null || (await countOtherInvitations(tx, partnerId, email)) < openInvitationsMax) return
  throw new Refusal(
    'BAD_REQUEST',
    `There are ${openInvitationsMax} open invitations: remove one first, or wait until one is accepted or expires`,
  )
}

/** Throws when the e-mail address is taken. Does not reveal other tenants to admins. */
async function refuseTaken(
  tx: Transaction,
  actor: AuditActor,
  { email, partnerId }: NewMember,
): Promise<never> {
  const found = await findUser(tx, email)
  const elsewhere =
    found !== undefined && actor !== operatorCommand && isInternal(actor)
      ? await findWithin(tx, actor.reach, found.id)
      : undefined
  const refusal = (reason: string) =>
    new Refusal('BAD_REQUEST', 'This e-mail address cannot be invited', { errors: [`email: ${reason}`] })
  if (found?.partnerId === partnerId) throw refusal('is on the team already')
  if (elsewhere === undefined) throw refusal('cannot be invited here: use another one')
  const home = elsewhere.partnerId === null ? undefined : await readPartner(tx, elsewhere.partnerId)
  throw refusal(`belongs to ${home?.name ?? "the installer's staff"} already`)
}

/** Keeps the last admin, unless an operator insists, and in the portal the last operator. */
function refuseLast(actor: AuditActor, { role, isLast }: HeldUser, evenLast: boolean): void {
  if (!isLast) return
  const isOperator = actor === operatorCommand || actor.user?.role === 'operator'
  if (evenLast && isOperator && (role === 'admin' || actor === operatorCommand)) return
  throw new Refusal(
    'BAD_REQUEST',
    role === 'operator'
      ? 'This is the last operator: invite another one first'
      : 'This is the last admin: make somebody else an admin first',
  )
}
