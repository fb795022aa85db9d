import { randomBytes } from 'node:crypto'
import type { Actor } from '../access/actor.ts'
import { audited, note } from '../access/audited.ts'
import { forPartnerManagers, router, personal, open } from '../access/procedure.ts'
import { describeBrowser } from '../accounts/browser.ts'
import { ownerOf } from '../accounts/partner.ts'
import { countAttempt } from '../accounts/throttle-store.ts'
import { GetDeal } from '../deals/wire.ts'
import { ApiError, notFound, tooMany } from '../errors.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'
import { urlProblem } from '../webhooks/endpoint.ts'
import { openUnsubscribeToken } from './mailing-list.ts'
import { teamChannelsMax, followedViewsMax } from './policy.ts'
import { ownerOfChannel, sendPost } from './post-news.ts'
import {
  deleteSubscription,
  insertSubscription,
  readSubscription,
  readPushNames,
  readSubscriptions,
  readVapidKeys,
  setPushNames,
} from './push-store.ts'
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
import { shortenUrl } from './team-channel.ts'
import {
  deleteChannel,
  findChannel,
  insertChannel,
  readChannels,
  switchChannel,
  updateChannel,
} from './team-store.ts'
import {
  AddChannel,
  ChangeChannel,
  ChooseChannel,
  SwitchChannel,
  ChooseSubscription,
  RemoveSubscription,
  SetPushNames,
  Subscribe,
  ConfirmPeople,
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
  list: personal.input(ListNotifications).query(async ({ ctx: { db, actor, user }, input: { cursor } }) => {
    const found = await readNotifications(db, actor.tenant, user.id, cursor ?? null, pageSize + 1)
    const shown = found.slice(0, pageSize)
    return { notifications: shown, next: found.length > pageSize ? shown.at(-1)!.id : null }
  }),

  unread: personal.query(({ ctx: { db, actor, user } }) => countUnread(db, actor.tenant, user.id)),

  readAll: personal.mutation(({ ctx: { db, actor, user } }) => markRead(db, actor.tenant, user.id, null)),

  readDeal: personal
    .input(GetDeal)
    .mutation(({ ctx: { db, actor, user }, input: { id } }) => markRead(db, actor.tenant, user.id, id)),

  follow: personal.input(GetDeal).query(async ({ ctx: { db, actor, user }, input: { id } }) => {
    const follow = await readFollow(db, actor.tenant, user.id, id)
    if (follow === undefined) throw notFound('Deal')
    return follow
  }),

  /** Follows or unfollows deals. Returns the number of deals. */
  setFollow: personal
    .input(FollowDeals)
    .mutation(async ({ ctx: { db, actor, user }, input: { ids, isOn } }) => {
      const found = await db.transaction((tx) => followDeals(tx, actor.tenant, user.id, ids, isOn))
      if (found === 0) throw notFound('Deal')
      return found
    }),

  views: personal.query(({ ctx: { db, user } }) => readFollowedViews(db, user.id)),

  followView: personal.input(FollowView).mutation(async ({ ctx, input: { id, ...choice } }) => {
    const { db, actor, user } = ctx
    const outcome = await db.transaction((tx) =>
      followView(tx, actor.tenant, user.id, { viewId: id, ...choice }),
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

export const pushRouter = router({
  key: personal.query(async ({ ctx: { db, services } }) => ({
    publicKey: (await readVapidKeys(db, services.encryptionKey)).publicKey,
  })),

  /** Returns whether the caller has subscribed this browser, and the reason if the subscription has ended. */
  status: personal
    .input(ChooseSubscription)
    .query(({ ctx: { db, user }, input: { endpoint } }) => readSubscription(db, user.id, endpoint)),

  /** Subscribes this browser until the caller signs out. */
  subscribe: personal.input(Subscribe).mutation(async ({ ctx, input }) => {
    const { db, services, user, actor } = ctx
    // The host name is not resolved here, because the response would reveal which internal names exist. The
    // IP address is checked whenever a message is sent.
    const problem = await urlProblem(input.endpoint, services.endpointRules, async () => [])
    if (problem !== null)
      throw new ApiError('BAD_REQUEST', 'The URL cannot be used', { errors: [`endpoint: ${problem}`] })
    await db.transaction((tx) => insertSubscription(tx, user, input, actor.client.agent))
  }),

  unsubscribe: personal
    .input(ChooseSubscription)
    .mutation(({ ctx: { db, user }, input: { endpoint } }) =>
      db.transaction((tx) => deleteSubscription(tx, user.id, { endpoint })),
    ),

  list: personal.query(async ({ ctx: { db, user } }) =>
    (await readSubscriptions(db, user.id)).map(
      ({ sessionHash, userAgent, failedAt, endedAt, ...subscription }) => ({
        ...subscription,
        isThis: sessionHash === user.sessionHash,
        browser: describeBrowser(userAgent),
        state: stateOf({ failedAt, endedAt }),
      }),
    ),
  ),

  remove: personal
    .input(RemoveSubscription)
    .mutation(({ ctx: { db, user }, input: { id } }) =>
      db.transaction((tx) => deleteSubscription(tx, user.id, { id })),
    ),

  /** Returns whether the partner's push messages contain names of homeowners. */
  names: forPartnerManagers.query(async ({ ctx: { db, partnerId } }) => ({
    isOn: await readPushNames(db, partnerId),
  })),

  setNames: forPartnerManagers.input(SetPushNames).mutation(({ ctx, input: { isOn } }) =>
    audited(
      ctx,
      {
        action: 'partner.push-names-changed',
        subject: isOn ? 'named' : 'not named',
        partnerId: ctx.partnerId,
      },
      (tx) => setPushNames(tx, ctx.partnerId, isOn),
    ),
  ),
})

function stateOf({
  failedAt,
  endedAt,
}: {
  failedAt: Date | null
  endedAt: Date | null
}): 'on' | 'failing' | 'ended' {
  if (endedAt !== null) return 'ended'
  return failedAt === null ? 'on' : 'failing'
}

export const channelsRouter = router({
  list: forPartnerManagers.query(({ ctx: { db, partnerId } }) => readChannels(db, partnerId)),

  add: forPartnerManagers
    .input(AddChannel)
    .mutation(async ({ ctx, input: { name, service, url, kinds } }) => {
      const { partnerId, services } = ctx
      const problem = await urlProblem(url, services.endpointRules, services.resolve)
      if (problem !== null)
        throw new ApiError('BAD_REQUEST', 'The URL cannot be used', { errors: [`url: ${problem}`] })
      const { encryptionKey } = services
      const channel = {
        name,
        service,
        encryptedUrl: encryptFor(ownerOfChannel(partnerId), url, encryptionKey, randomBytes),
        shownUrl: shortenUrl(url),
        kinds: [...new Set(kinds)],
      }
      await audited(ctx, { action: 'channel.added', subject: name, partnerId }, async (tx) => {
        if (await insertChannel(tx, partnerId, channel)) return
        throw new ApiError(
          'BAD_REQUEST',
          `There are ${teamChannelsMax} team channels already; remove one first`,
        )
      })
    }),

  change: forPartnerManagers.input(ChangeChannel).mutation(async ({ ctx, input: { id, ...change } }) => {
    const { partnerId } = ctx
    await audited(ctx, { action: 'channel.changed', subject: change.name, partnerId }, async (tx) =>
      found(await updateChannel(tx, { partnerId, id }, change)),
    )
  }),

  switch: forPartnerManagers.input(SwitchChannel).mutation(async ({ ctx, input: { id, isOn } }) => {
    const { partnerId } = ctx
    const action = isOn ? 'channel.switched-on' : 'channel.switched-off'
    await audited(
      ctx,
      (subject: string) => ({ action, subject, partnerId }),
      async (tx) => found(await switchChannel(tx, { partnerId, id }, isOn)),
    )
  }),

  /**
   * Posts a test message, even to a channel that is turned off. Returns the reason for a failure, or null.
   */
  test: forPartnerManagers.input(ChooseChannel).mutation(async ({ ctx, input: { id } }) => {
    const { db, partnerId, services } = ctx
    const channel = found(await findChannel(db, { partnerId, id }))
    const { isOver, retryAfterS } = await countAttempt(db, {
      purpose: 'webhook-test',
      of: [partnerId, 'team channel'],
    })
    if (isOver) throw tooMany('Too many test messages', retryAfterS)
    await note(ctx, { action: 'channel.tested', subject: channel.name, partnerId })
    const url = decryptFor(ownerOfChannel(partnerId), channel.encryptedUrl, services.encryptionKey)
    const { publicUrl } = services.config
    const { problem } = await sendPost(services.webhooks.safeFetch, channel.service, url, {
      deals: [
        { name: 'Test message', url: publicUrl, lines: [`Partner Deals can post to ${channel.name}.`] },
      ],
      more: 0,
      listUrl: publicUrl,
    })
    return { problem }
  }),

  remove: forPartnerManagers.input(ChooseChannel).mutation(async ({ ctx, input: { id } }) => {
    const { partnerId } = ctx
    await audited(
      ctx,
      (subject: string) => ({ action: 'channel.removed', subject, partnerId }),
      async (tx) => found(await deleteChannel(tx, { partnerId, id })),
    )
  }),
})

/**  @throws ApiError 404 without the channel, or if it already has that state */
function found<T>(value: T | undefined): T {
  if (value === undefined) throw notFound('Team channel')
  return value
}
