import type { Transaction } from '#db/client.ts'
import { isInternal } from '../access/actor.ts'
import {
  type AuditActor,
  type AuditContext,
  type AuditEntry,
  audited,
  operatorCommand,
} from '../access/audited.ts'
import { ApiError, notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import type { Zone } from '../values/zone.ts'
import { discardMessages, endAccess } from './access-store.ts'
import { lockOwner } from './limit-store.ts'
import { invite, issueLink, mailLink } from './link.ts'
import type { Mailer } from './mailer.ts'
import type { PartnerId, TenantScope } from './partner.ts'
import { openInvitationsMax } from './policy.ts'
import { type TeamRole, isManager } from './role.ts'
import { readPartner, setPartnerZone } from './store.ts'
import {
  type LockedUser,
  type UserWithin,
  countOtherInvitations,
  deleteUser,
  findWithin,
  lockInvited,
  lockUser,
  setRole,
} from './team-store.ts'
import { type NewMember, findUser } from './user-store.ts'
import type { User } from './user.ts'

// Actions of admins and operators on users, called from the portal or the command line.

/** Required to send links. */
interface Deps {
  publicUrl: string
  mailer: Mailer | null
}

export const linkDepsOf = ({ mailer, config }: Pick<Services, 'mailer' | 'config'>): Deps => ({
  mailer,
  publicUrl: config.publicUrl,
})

/** An invitation or a password reset. `mailed` is null if there is no mail server. */
interface IssuedLink {
  email: string
  link: string
  mailed: boolean | null
}

/**
 * Invites a user, and mails the invitation if there is a mail server.
 * @throws ApiError 400 if the e-mail address is taken, or the partner has too many open invitations
 */
export async function inviteUser(context: AuditContext, deps: Deps, user: NewMember): Promise<IssuedLink> {
  const link = await audited(context, entryOf('user.invited', user), async (tx) => {
    await refuseTooManyOpen(tx, user)
    return (await invite({ db: tx, publicUrl: deps.publicUrl }, user)) ?? refuseTaken(tx, context.actor, user)
  })
  return mailInvitation(context, deps, user, link)
}

/**
 * Creates a new link for an invited user. The previous link stops working.
 * @throws ApiError 404 if there is no such invitation
 */
export async function inviteAgain(
  context: AuditContext,
  deps: Deps,
  tenant: TenantScope,
  id: number,
): Promise<IssuedLink> {
  const invited = await audited(
    context,
    (user: User) => entryOf('user.invited', user),
    async (tx) => {
      const user = await lockInvited(tx, tenant, id)
      if (user === undefined) throw notFound('Invitation')
      await refuseTooManyOpen(tx, user)
      return { ...user, link: await issueLink({ db: tx, publicUrl: deps.publicUrl }, id, 'invitation') }
    },
  )
  return mailInvitation(context, deps, invited, invited.link)
}

/**
 * Changes a partner's member to an admin, or an admin to a member. Takes effect immediately in all browsers.
 * @throws ApiError 404 if there is no such user, 400 for the last admin
 */
export async function changeRole(
  context: AuditContext,
  tenant: TenantScope,
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
      const user = await lockUser(tx, tenant, id)
      if (user === undefined) throw notFound('User')
      if (user.role === 'operator')
        throw new ApiError('BAD_REQUEST', "The installer's own staff have no other role")
      if (!isManager(role)) {
        refuseLast(context.actor, user, evenLast)
        // Discards messages such as e-mails to admins, which the user may no longer receive.
        await discardMessages(tx, { formerUserId: id })
      }
      await setRole(tx, tenant, id, role)
      return user
    },
  )
}

/**
 * Removes a user and ends their sessions. The user's shared views are handed to the remover, or to another
 * team member.
 * @throws ApiError 404 if there is no such user, 400 for the last admin or operator
 */
export function removeUser(
  context: AuditContext,
  tenant: TenantScope,
  { id, evenLast }: { id: number; evenLast: boolean },
): Promise<LockedUser> {
  return audited(
    context,
    (user: User) => entryOf('user.removed', user),
    async (tx) => {
      const user = await lockUser(tx, tenant, id)
      if (user === undefined) throw notFound('User')
      const { actor } = context
      refuseLast(actor, user, evenLast)
      await endAccess(tx, { formerUserId: id })
      await deleteUser(tx, tenant, id, actor === operatorCommand ? null : (actor.user?.id ?? null))
      return user
    },
  )
}

/**
 * Creates a link with which a user sets a new password, and mails the link if there is a mail server.
 * @throws ApiError 404 if there is no such user
 */
export async function resetPassword(
  context: AuditContext,
  { publicUrl, mailer }: Deps,
  tenant: TenantScope,
  id: number,
): Promise<IssuedLink> {
  const { email, link } = await audited(
    context,
    (user: User) => entryOf('user.reset', user),
    async (tx) => {
      const user = await findWithin(tx, tenant, id)
      if (user === undefined) throw notFound('User')
      return { ...user, link: await issueLink({ db: tx, publicUrl }, id, 'reset') }
    },
  )
  const mailed = await mailLink({ db: context.db, mailer }, email, link, null, 'reset')
  return { email, link, mailed }
}

/**
 * Sets the time zone of a partner, which applies to users who have not chosen their own. Null derives the
 * time zone from the deals.
 */
export function changePartnerZone(
  context: AuditContext,
  partnerId: PartnerId,
  slug: string,
  zone: Zone | null,
): Promise<void> {
  const subject = `${slug} (${zone ?? 'that of most deals'})`
  return audited(context, { action: 'partner.time-zone-changed', subject, partnerId }, (tx) =>
    setPartnerZone(tx, partnerId, zone),
  )
}

const entryOf = (action: AuditEntry['action'], { email, role, partnerId }: Omit<User, 'id'>): AuditEntry => ({
  action,
  subject: `${email} (${role})`,
  partnerId,
})

async function mailInvitation(
  { db }: AuditContext,
  { mailer }: Deps,
  { email, partnerId }: Pick<UserWithin, 'email' | 'partnerId'>,
  link: string,
): Promise<IssuedLink> {
  const partnerName = partnerId === null ? null : (await readPartner(db, partnerId)).name
  return { email, link, mailed: await mailLink({ db, mailer }, email, link, partnerName) }
}

/** Throws if the partner has the maximum number of open invitations. The installer's staff has no limit. */
async function refuseTooManyOpen(
  tx: Transaction,
  { partnerId, email }: Pick<NewMember, 'partnerId' | 'email'>,
): Promise<void> {
  if (partnerId !== null) await lockOwner(tx, partnerId)
  if (partnerId === null || (await countOtherInvitations(tx, partnerId, email)) < openInvitationsMax) return
  throw new ApiError(
    'BAD_REQUEST',
    `There are ${openInvitationsMax} open invitations: remove one first, or wait until one is accepted or expires`,
  )
}

/** Throws if the e-mail address is taken. The message does not tell admins about users of other tenants. */
async function refuseTaken(
  tx: Transaction,
  actor: AuditActor,
  { email, partnerId }: NewMember,
): Promise<never> {
  const found = await findUser(tx, email)
  const elsewhere =
    found !== undefined && actor !== operatorCommand && isInternal(actor)
      ? await findWithin(tx, actor.tenant, found.id)
      : undefined
  const refusal = (reason: string) =>
    new ApiError('BAD_REQUEST', 'This e-mail address cannot be invited', { errors: [`email: ${reason}`] })
  if (found?.partnerId === partnerId) throw refusal('is on the team already')
  if (elsewhere === undefined) throw refusal('cannot be invited here: use another one')
  const home = elsewhere.partnerId === null ? undefined : await readPartner(tx, elsewhere.partnerId)
  throw refusal(`belongs to ${home?.name ?? "the installer's staff"} already`)
}

/**
 * Throws if the user is the last admin or operator. With `evenLast`, operators may remove the last admin, and
 * commands may also remove the last operator.
 */
function refuseLast(actor: AuditActor, { role, isLast }: LockedUser, evenLast: boolean): void {
  if (!isLast) return
  const isOperator = actor === operatorCommand || actor.user?.role === 'operator'
  if (evenLast && isOperator && (role === 'admin' || actor === operatorCommand)) return
  throw new ApiError(
    'BAD_REQUEST',
    role === 'operator'
      ? 'This is the last operator: invite another one first'
      : 'This is the last admin: make somebody else an admin first',
  )
}
