import type { Actor } from '../access/actor.ts'
import { audited } from '../access/audited.ts'
import { open, personal, router } from '../access/procedure.ts'
import { ownerOf } from '../accounts/partner.ts'
import { GetDeal } from '../deals/wire.ts'
import { ApiError, notFound } from '../errors.ts'
import { followedViewsMax, unreadMax } from './policy.ts'
import {
  clearRejection,
  confirmPeople,
  countUnread,
  followDeals,
  followView,
  markRead,
  readFollow,
  readFollowedViews,
  readMailChoice,
  readNotifications,
  readOwnPeople,
  readSettings,
  saveSettings,
} from './store.ts'
import { openUnsubscribeToken } from './unsubscribe.ts'
import {
  ConfirmPeople,
  FollowDeal,
  FollowDeals,
  FollowView,
  ListNotifications,
  SetNotifications,
  Unsubscribe,
} from './wire.ts'

const pageSize = 50

/** Returns the partner of audit entries about a user's own settings. */
const partnerOfAccount = ({ user, tenant }: Actor) => (user?.role === 'operator' ? null : ownerOf(tenant))

export const notificationsRouter = router({
  /** Returns the caller's notifications, newest first, and the cursor of the next page. */
  list: personal.input(ListNotifications).query(async ({ ctx: { db, actor, user }, input: { cursor } }) => {
    const found = await readNotifications(db, actor.tenant, user.id, cursor ?? null, pageSize + 1)
    const shown = found.slice(0, pageSize)
    return { notifications: shown, next: found.length > pageSize ? shown.at(-1)!.id : null }
  }),

  /** Returns the number of the caller's unread notifications, up to `unreadMax`. */
  unread: personal.query(({ ctx: { db, actor, user } }) => countUnread(db, actor.tenant, user.id, unreadMax)),

  readAll: personal.mutation(({ ctx: { db, actor, user } }) => markRead(db, actor.tenant, user.id, null)),

  /** Marks the notifications about a deal as read. */
  readDeal: personal
    .input(GetDeal)
    .mutation(({ ctx: { db, actor, user }, input: { id } }) => markRead(db, actor.tenant, user.id, id)),

  follow: personal.input(GetDeal).query(async ({ ctx: { db, actor, user }, input: { id } }) => {
    const follow = await readFollow(db, actor.tenant, user.id, id)
    if (follow === undefined) throw notFound('Deal')
    return follow
  }),

  setFollow: personal
    .input(FollowDeal)
    .mutation(async ({ ctx: { db, actor, user }, input: { id, isOn } }) => {
      const found = await db.transaction((tx) => followDeals(tx, actor.tenant, user.id, [id], isOn))
      if (found === 0) throw notFound('Deal')
    }),

  /** Follows or unfollows deals. Returns the number of deals. */
  setFollows: personal
    .input(FollowDeals)
    .mutation(({ ctx: { db, actor, user }, input: { ids, isOn } }) =>
      db.transaction((tx) => followDeals(tx, actor.tenant, user.id, ids, isOn)),
    ),

  /** Returns the views that the caller follows, with their filters. */
  views: personal.query(({ ctx: { db, user } }) => readFollowedViews(db, user.id)),

  followView: personal.input(FollowView).mutation(async ({ ctx, input: { id, ...choice } }) => {
    const { db, actor, user } = ctx
    const outcome = await db.transaction((tx) =>
      followView(tx, actor.tenant, user.id, { viewId: id, ...choice, max: followedViewsMax }),
    )
    if (outcome === 'missing') throw notFound('View')
    if (outcome === 'full')
      throw new ApiError('BAD_REQUEST', `You follow ${followedViewsMax} views already; unfollow one first`)
  }),

  /** Returns the people named in deals who may be the caller. */
  people: personal.query(({ ctx: { db, actor, user } }) => readOwnPeople(db, actor.tenant, user.id)),

  confirmPeople: personal
    .input(ConfirmPeople)
    .mutation(({ ctx: { db, actor, user }, input: { ids } }) =>
      db.transaction((tx) => confirmPeople(tx, actor.tenant, user.id, ids)),
    ),

  settings: personal.query(async ({ ctx: { db, user, services } }) => ({
    ...(await readSettings(db, user.id)),
    hasMail: services.mailer !== null,
  })),

  setSettings: personal
    .input(SetNotifications)
    .mutation(({ ctx, input }) =>
      audited(
        ctx,
        { action: 'account.notifications-changed', partnerId: partnerOfAccount(ctx.actor) },
        (tx) => saveSettings(tx, ctx.user.id, input),
      ),
    ),

  /** Resumes mail to the caller's e-mail address after a mail server rejected it. */
  useMailAgain: personal.mutation(({ ctx }) =>
    audited(ctx, { action: 'account.notifications-changed', partnerId: partnerOfAccount(ctx.actor) }, (tx) =>
      clearRejection(tx, ctx.user.id),
    ),
  ),

  /** Returns the user of an unsubscribe link, and whether mail is sent to that user. */
  mailChoice: open.input(Unsubscribe).query(async ({ ctx: { db, services }, input: { token } }) => {
    const userId = openUnsubscribeToken(services.encryptionKey, token)
    const choice = userId === null ? undefined : await readMailChoice(db, userId)
    if (choice === undefined) throw notFound('Link')
    return choice
  }),
})
