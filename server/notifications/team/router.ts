import { randomBytes } from 'node:crypto'
import { audited, note } from '../../access/audited.ts'
import { forPartnerManagers, router } from '../../access/procedure.ts'
import { countAttempt } from '../../accounts/sign-in/throttle-store.ts'
import { ApiError, notFound, tooMany } from '../../errors.ts'
import { decryptFor, encryptFor } from '../../values/encryption.ts'
import { urlProblem } from '../../webhooks/endpoints/endpoint.ts'
import { teamChannelsMax } from '../policy.ts'
import { ownerOfChannel, sendPost } from './post-news.ts'
import { shortenUrl } from './team-channel.ts'
import {
  deleteChannel,
  findChannel,
  insertChannel,
  readChannels,
  switchChannel,
  updateChannel,
} from './team-store.ts'
import { AddChannel, ChangeChannel, ChooseChannel, SwitchChannel } from './wire.ts'

/** Procedures for a partner's Slack and Microsoft Teams channels. */
export const channelsRouter = router({
  list: forPartnerManagers.query(({ ctx: { db, partnerId } }) => readChannels(db, partnerId)),

  /** Adds a channel, which receives later updates. */
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
        if (await insertChannel(tx, partnerId, channel, teamChannelsMax)) return
        throw new ApiError(
          'BAD_REQUEST',
          `There are ${teamChannelsMax} team channels already; remove one first`,
        )
      })
    }),

  /** Changes the name of a channel and the kinds of updates that it receives. */
  change: forPartnerManagers.input(ChangeChannel).mutation(async ({ ctx, input: { id, ...change } }) => {
    const { partnerId } = ctx
    await audited(ctx, { action: 'channel.changed', subject: change.name, partnerId }, async (tx) =>
      found(await updateChannel(tx, { partnerId, id }, change)),
    )
  }),

  /** Turns a channel off, or turns it on for later updates. */
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
