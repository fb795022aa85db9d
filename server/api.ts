import type { inferRouterOutputs } from '@trpc/server'
import { mergeRouters, router } from './access/procedure.ts'
import { accountsRouter } from './accounts/router.ts'
import { teamRouter } from './accounts/team-router.ts'
import { auditRouter, auditStreams } from './audit/router.ts'
import { dataQualityStreams, dataQualityRouter } from './data-quality/router.ts'
import { dealsRouter } from './deals/router.ts'
import { filesRouter } from './files/router.ts'
import { healthRouter } from './health/router.ts'
import { importStreams, importsRouter } from './imports/router.ts'
import { insightRouter } from './insight/router.ts'
import { messagesRouter } from './messages/router.ts'
import { pushRouter, notificationsRouter, channelsRouter } from './notifications/router.ts'
import { partnersRouter } from './partners/router.ts'
import { eventOperations } from './search/operations.ts'
import { dealStreams, searchRouter } from './search/router.ts'
import { sheetsRouter } from './sheets/router.ts'
import { sourcesRouter } from './sources/router.ts'
import { stagesRouter } from './stages/router.ts'
import { tokensRouter } from './tokens/router.ts'
import { viewsRouter } from './views/router.ts'
import { deliveriesRouter } from './webhooks/delivery-router.ts'
import { webhooksRouter } from './webhooks/router.ts'
import { subscriptionsRouter } from './webhooks/subscription-router.ts'

/** The procedures that browsers may call over HTTP. */
export const api = router({
  accounts: accountsRouter,
  audit: auditRouter,
  channels: channelsRouter,
  deals: mergeRouters(dealsRouter, searchRouter),
  deliveries: deliveriesRouter,
  events: router(eventOperations),
  files: filesRouter,
  dataQuality: dataQualityRouter,
  health: healthRouter,
  imports: importsRouter,
  insight: insightRouter,
  messages: messagesRouter,
  notifications: notificationsRouter,
  partners: partnersRouter,
  push: pushRouter,
  sheets: sheetsRouter,
  sources: sourcesRouter,
  stages: stagesRouter,
  subscriptions: subscriptionsRouter,
  team: teamRouter,
  tokens: tokensRouter,
  views: viewsRouter,
  webhooks: webhooksRouter,
})

export type Api = typeof api

/**
 * Procedures that stream files. Available only to route handlers, because unread responses in a batch would
 * block connections.
 */
export const streams = router({
  audit: auditStreams,
  deals: dealStreams,
  dataQuality: dataQualityStreams,
  imports: importStreams,
})

type Streaming = AsyncIterable<unknown> | Iterator<unknown> | ReadableStream | Promise<unknown>

type Deferred = (...args: never[]) => unknown

/** Names of the procedures whose response is streamed in whole or in part. */
type StreamingIn<Outputs> = {
  [Name in keyof Outputs]: Outputs[Name] extends Streaming | Deferred
    ? Name
    : Extract<Outputs[Name][keyof Outputs[Name]], Streaming> extends never
      ? never
      : Name
}[keyof Outputs]

type Outputs = inferRouterOutputs<Api>
type StreamingOverHttp = { [Room in keyof Outputs]: StreamingIn<Outputs[Room]> }[keyof Outputs]

// Does not compile if `api` has a streaming procedure. The compiler error contains its name.
void (null as unknown as StreamingOverHttp satisfies never)
