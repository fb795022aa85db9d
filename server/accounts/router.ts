import { type Actor, partnerOf } from '../access/actor.ts'
import { type AuditEntry, audited } from '../access/audited.ts'
import { type Context, forAdmins, forOperators, open, personal, router } from '../access/procedure.ts'
import { ApiError, notFound, tooMany } from '../errors.ts'
import { endAccess } from './access-store.ts'
import { changePartnerZone } from './actions.ts'
import { describeBrowser } from './browser.ts'
import { findExpiredInvitation, findLink, replacePassword } from './link-store.ts'
import { sendLink } from './link.ts'
import { ownerOf } from './partner.ts'
import { hashPassword, isPassword } from './password.ts'
import type { LinkKind } from './policy.ts'
import { endSession, findSession, readSessions } from './session-store.ts'
import { listPartners, readPartner, zoneOfPartner } from './store.ts'
import { countAttempt, resetAttempts } from './throttle-store.ts'
import { readAdmins, readSettings, updateUser } from './user-store.ts'
import { hashText } from './user.ts'
import { ChangePassword, ChooseSession, ChooseZone, Rename, RequestLink, UseLink } from './wire.ts'
import { toZone, zoneChoices } from './zone-choice.ts'

/** Maximum number of admins named on the page of an expired invitation. */
const namedAdminsMax = 3

export const accountsRouter = router({
  /** Returns the available ways to sign in other than a password. */
  means: open.query(({ ctx }) => {
    const { config, mailer } = ctx.services
    return {
      mail: mailer !== null,
      /** E-mail address or https URL of the installer's support; null if not configured. */
      contact: config.supportContact ?? null,
      oidc: config.oidc === null ? null : { name: new URL(config.oidc.issuer).hostname },
    }
  }),

  /** Returns the user and the kind of a link; the link stays usable. */
  link: open.input(UseLink).query(async ({ ctx, input: { token } }) => {
    const { services } = ctx
    limitAnonymous(ctx, 'sign-in')
    const link = await findLink(services.db, hashText(token))
    if (link === undefined) throw notFound('Link')
    const { partnerId: _, ...shown } = link
    return shown
  }),

  /**
   * Returns the people who can renew an expired invitation: the partner's name and the names of its admins.
   * Returns null for any other link, so that anonymous callers learn nothing about partners.
   */
  inviters: open.input(UseLink).query(async ({ ctx, input: { token } }) => {
    limitAnonymous(ctx, 'sign-in')
    const { db } = ctx.services
    const expired = await findExpiredInvitation(db, hashText(token))
    if (expired === undefined) return null
    const admins = await readAdmins(db, expired.partnerId)
    return {
      partnerName: expired.partnerName,
      admins: admins.slice(0, namedAdminsMax).map(({ name }) => name),
    }
  }),

  requestReset: open
    .input(RequestLink)
    .mutation(({ ctx, input: { email } }) => sendRequestedLink(ctx, email, 'reset')),
  requestSignIn: open
    .input(RequestLink)
    .mutation(({ ctx, input: { email } }) => sendRequestedLink(ctx, email, 'sign-in')),

  me: personal.query(
    async ({
      ctx: {
        db,
        actor,
        user: { sessionHash, id, chosenPartner },
      },
    }) => {
      const [session, { passwordHash, timeZone }] = await Promise.all([
        findSession(db, sessionHash),
        readSettings(db, id),
      ])
      if (session === undefined) throw new ApiError('UNAUTHORIZED', 'Sign in first')
      const { user, partner } = session
      const home = partner === null ? undefined : await readPartner(db, partnerOf(actor))
      return {
        id,
        email: user.email,
        name: user.name,
        role: user.role,
        hasPassword: passwordHash !== null,
        /** The time zone that the user chose; null if the user follows the default. */
        timeZone,
        partner:
          home === undefined
            ? null
            : {
                slug: home.slug,
                name: home.name,
                /** The time zone chosen for the partner; null if the time zone is derived from the deals. */
                timeZone: home.timeZone,
                zone: zoneOfPartner(home),
                usualZone: toZone(home.usualZone),
              },
        chosenPartner: chosenPartner && { slug: chosenPartner.slug, name: chosenPartner.name },
      }
    },
  ),

  rename: personal
    .input(Rename)
    .mutation(({ ctx, input: { name } }) =>
      audited(ctx, ofAccount(ctx.actor, 'account.renamed', name), (tx) =>
        updateUser(tx, ctx.user.id, { name }),
      ),
    ),

  /** Returns all selectable time zones. */
  timeZones: personal.query(() => zoneChoices()),

  /** Sets the caller's time zone; null follows the partner's time zone. */
  setTimeZone: personal
    .input(ChooseZone)
    .mutation(({ ctx, input: { timeZone } }) =>
      audited(
        ctx,
        ofAccount(ctx.actor, 'account.time-zone-changed', timeZone ?? 'that of the partner'),
        (tx) => updateUser(tx, ctx.user.id, { timeZone }),
      ),
    ),

  /** Sets the time zone of the caller's partner; null derives the time zone from the deals. */
  setPartnerTimeZone: forAdmins.input(ChooseZone).mutation(async ({ ctx, input: { timeZone } }) => {
    const { slug } = await readPartner(ctx.db, ctx.partnerId)
    await changePartnerZone(ctx, ctx.partnerId, slug, timeZone)
  }),

  /** Returns the caller's sessions, newest first. */
  sessions: personal.query(async ({ ctx: { db, user } }) =>
    (await readSessions(db, user.id)).map(({ id, hash, userAgent, createdAt, expiresAt }) => ({
      id,
      isThis: hash === user.sessionHash,
      browser: describeBrowser(userAgent),
      signedInAt: createdAt,
      expiresAt,
    })),
  ),

  endSession: personal.input(ChooseSession).mutation(async ({ ctx, input: { id } }) => {
    await audited(
      ctx,
      (userAgent: string) => ofAccount(ctx.actor, 'account.session-ended', describeBrowser(userAgent)),
      async (tx) => {
        const userAgent = await endSession(tx, ctx.user.id, id)
        if (userAgent === undefined) throw notFound('Session')
        return userAgent
      },
    )
  }),

  /** Ends all of the caller's sessions, including the current one. */
  signOutEverywhere: personal.mutation(({ ctx }) =>
    audited(ctx, ofAccount(ctx.actor, 'account.signed-out'), (tx) => endAccess(tx, { userId: ctx.user.id })),
  ),

  /** Changes the caller's password and ends all other sessions. */
  changePassword: personal.input(ChangePassword).mutation(async ({ ctx, input: { current, next } }) => {
    const { db, actor, user } = ctx
    // Counts per session, so that someone with a stolen session cannot keep guessing, and does not lock the
    // user out of other sessions.
    const counter = { purpose: 'password-change', of: [user.sessionHash] } as const
    const { isOver, retryAfterS } = await countAttempt(db, counter)
    if (isOver) throw tooMany('Too many attempts', retryAfterS)
    const from = (await readSettings(db, user.id)).passwordHash ?? undefined
    const isRight = await isPassword(current, from)
    if (isRight) await resetAttempts(db, counter)
    const to = isRight ? await hashPassword(next) : ''
    await audited(ctx, ofAccount(actor, 'account.password-changed'), async (tx) => {
      const change = { userId: user.id, from: from!, to, keep: user.sessionHash }
      if (!isRight || !(await replacePassword(tx, change)))
        throw new ApiError('BAD_REQUEST', 'The password is wrong', {
          errors: ['current: is not your password'],
        })
    })
  }),

  /** Returns all partners. */
  partners: forOperators.query(async ({ ctx: { db } }) =>
    (await listPartners(db)).map(({ slug, name }) => ({ slug, name })),
  ),
})

/**
 * Returns an audit entry about the caller's own account. If an operator views the portal as a partner, the
 * entry does not belong to that partner.
 */
function ofAccount({ user, tenant }: Actor, action: AuditEntry['action'], subject = ''): AuditEntry {
  return { action, subject, partnerId: user?.role === 'operator' ? null : ownerOf(tenant) }
}

/**
 * Sends a link by e-mail. The response is immediate and the same for every e-mail address; the user is looked
 * up afterwards.
 * @throws ApiError 429 if this client, or all together, request too many
 */
function sendRequestedLink(context: Context, email: string, kind: LinkKind): Record<never, never> {
  const { db, mailer, config, background } = context.services
  limitAnonymous(context, 'link-request')
  if (mailer !== null)
    background('requested link', `${kind} ${email}`, () =>
      sendLink({ db, mailer, publicUrl: config.publicUrl }, email, kind),
    )
  return {}
}

/** Counts a call against the limits of anonymous callers. @throws ApiError 429 before any lookup */
function limitAnonymous({ services, actor, client }: Context, work: 'link-request' | 'sign-in'): void {
  const ipAddress = (actor?.client ?? client)?.address ?? null
  const waitS = services.anonymous.countWork(work, ipAddress, performance.now())
  if (waitS > 0) throw tooMany('Too many requests', waitS)
}
