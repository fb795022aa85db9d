import { audited } from '../../access/audited.ts'
import { forPartnerManagers, personal, router } from '../../access/procedure.ts'
import { ApiError } from '../../errors.ts'
import { urlProblem } from '../../webhooks/endpoints/endpoint.ts'
import {
  deleteSubscription,
  insertSubscription,
  readSubscription,
  readPushNames,
  readVapidKeys,
  setPushNames,
} from './push-store.ts'
import { ChooseSubscription, SetPushNames, Subscribe } from './wire.ts'

/** Push messages to the browsers of users. */
export const pushRouter = router({
  /** Returns the public key for browser subscriptions. */
  key: personal.query(async ({ ctx: { db, services } }) => ({
    publicKey: (await readVapidKeys(db, services.encryptionKey)).publicKey,
  })),

  /** Returns whether the caller has subscribed this browser, and why its subscription was given up. */
  status: personal
    .input(ChooseSubscription)
    .query(({ ctx: { db, user }, input: { endpoint } }) => readSubscription(db, user.id, endpoint)),

  /** Subscribes this browser until the caller signs out in it. */
  subscribe: personal.input(Subscribe).mutation(async ({ ctx, input }) => {
    const { db, services, user, actor } = ctx
    // The host name is not resolved here: the response would reveal which internal names exist. Each
    // message checks its IP address when it is sent.
    const problem = await urlProblem(input.endpoint, services.endpointRules, async () => [])
    if (problem !== null)
      throw new ApiError('BAD_REQUEST', 'The URL cannot be used', { errors: [`endpoint: ${problem}`] })
    await db.transaction((tx) => insertSubscription(tx, user, input, actor.client.agent))
  }),

  unsubscribe: personal
    .input(ChooseSubscription)
    .mutation(({ ctx: { db, user }, input: { endpoint } }) =>
      db.transaction((tx) => deleteSubscription(tx, user.id, endpoint)),
    ),

  /** Returns whether the partner's push messages name homeowners. */
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
