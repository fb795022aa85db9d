import { audited } from '../../access/audited.ts'
import { forPartnerManagers, personal, router } from '../../access/procedure.ts'
import { describeBrowser } from '../../accounts/sign-in/browser.ts'
import { ApiError } from '../../errors.ts'
import { urlProblem } from '../../webhooks/endpoints/endpoint.ts'
import {
  deleteSubscription,
  insertSubscription,
  readSubscription,
  readPushNames,
  readSubscriptions,
  readVapidKeys,
  setPushNames,
} from './push-store.ts'
import { ChooseSubscription, RemoveSubscription, SetPushNames, Subscribe } from './wire.ts'

/** Procedures for push messages to browsers. */
export const pushRouter = router({
  /** Returns the public key for browser subscriptions. */
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

  /** Returns the browsers that the caller has subscribed, newest first. */
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

  /** Ends the subscription of one of the caller's browsers. */
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

/** Returns the delivery state of a browser. */
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
