import type { Database } from '#db/client.ts'
import { partnerOf } from '../access/actor.ts'
import { forAdmins, forPartnerManagers, personal, scoped, router } from '../access/procedure.ts'
import { type PartnerId, isEveryone } from '../accounts/partner.ts'
import { isManager } from '../accounts/role.ts'
import { countAttempt } from '../accounts/throttle-store.ts'
import { limits } from '../accounts/throttle.ts'
import { ApiError, notFound, tooMany } from '../errors.ts'
import { ipAddressProblem } from '../net/ip-address.ts'
import type { Services } from '../runtime/services.ts'
import {
  recordTest,
  retireOldSecrets,
  revealSecrets,
  rotateSecret,
  switchOnEndpoint,
  testEndpoint,
} from './actions.ts'
import type { EndpointKey } from './delivery.ts'
import { webhookOperations } from './operations.ts'
import { readSecrets } from './secret-store.ts'
import { examine } from './send-test.ts'
import { type Endpoint, readEndpoint, readEndpoints, readHealth, readUnhealthyEndpoints } from './store.ts'
import { ChooseEndpoint } from './wire.ts'

/** Procedures of the Webhooks page. */
export const webhooksRouter = router({
  ...webhookOperations,

  status: scoped('webhooks:read').query(({ ctx: { db, actor } }) => readHealth(db, partnerOf(actor))),

  /** Returns the failing and disabled endpoints to users who can fix them, and an empty list to others. */
  troubled: personal.query(({ ctx: { db, actor, user } }) => {
    const partnerId = actor.tenant
    return !isManager(user.role) || isEveryone(partnerId) ? [] : readUnhealthyEndpoints(db, partnerId)
  }),

  /** Returns the URL schemes and networks that are allowed besides https and the public internet. */
  means: scoped('webhooks:read').query(
    ({
      ctx: {
        services: {
          endpointRules: { allowHttp, allowed },
        },
      },
    }) => ({ allowHttp, allowLoopback: allowHttp && ipAddressProblem('127.0.0.1', allowed) === null }),
  ),

  /** Returns the validity of the active secrets, starting with the current one. */
  secrets: scoped('webhooks:read').query(async ({ ctx: { db, services, actor } }) =>
    (await readSecrets(db, partnerOf(actor), services.encryptionKey)).map(({ createdAt, expiresAt }) => ({
      createdAt,
      expiresAt,
    })),
  ),

  reveal: forAdmins.mutation(({ ctx }) => revealSecrets(ctx, ctx.partnerId, ctx.services.encryptionKey)),

  rotate: forAdmins.mutation(({ ctx }) => rotateSecret(ctx, ctx.partnerId, ctx.services.encryptionKey)),

  /**
   * Sends every endpoint a test event signed with only the current secret. If every endpoint accepts its
   * event, retires the older secrets. Returns the results of the tests.
   */
  finishRotation: forAdmins.mutation(async ({ ctx }) => {
    const { db, services, partnerId } = ctx
    const [current, ...older] = await readSecrets(db, partnerId, services.encryptionKey)
    if (older.length === 0) throw new ApiError('BAD_REQUEST', 'No older secret is in use')
    // Tests each URL once.
    const byUrl = new Map((await readEndpoints(db, partnerId)).map((endpoint) => [endpoint.url, endpoint]))
    // The tests count as one, because a partner may have many subscriptions.
    if (byUrl.size > 0) await countTest(ctx, 'webhook-test')
    const tests = await Promise.all(
      [...byUrl.values()].map(async (endpoint) => {
        const { kind, name, url } = endpoint
        const deps = attemptDepsOf(services)
        return {
          kind,
          name,
          url,
          ...(await testEndpoint(ctx, partnerId, endpoint, deps, [current!.secret])),
        }
      }),
    )
    const isFinished = tests.every(({ state }) => state === 'delivered')
    if (isFinished) await retireOldSecrets(ctx, partnerId, services.encryptionKey, current!.secret)
    return { isFinished, tests }
  }),

  /** Sends a test event and returns the result. */
  test: forPartnerManagers.input(ChooseEndpoint).mutation(async ({ ctx, input: { kind } }) => {
    const endpoint = await allowTest(ctx, kind, 'webhook-test')
    return testEndpoint(ctx, ctx.partnerId, endpoint, attemptDepsOf(ctx.services))
  }),

  examine: forPartnerManagers.input(ChooseEndpoint).mutation(async ({ ctx, input: { kind } }) => {
    const endpoint = await allowTest(ctx, kind, 'webhook-examination')
    await recordTest(ctx, ctx.partnerId, endpoint)
    return examine(ctx.db, ctx.partnerId, endpoint, attemptDepsOf(ctx.services))
  }),

  /**
   * Enables an endpoint and sends its waiting deliveries. If the partner is suspended, the endpoint stays
   * off.
   */
  switchOn: forPartnerManagers
    .input(ChooseEndpoint)
    .mutation(({ ctx, input: { kind } }) => switchOnEndpoint(ctx, { partnerId: ctx.partnerId, kind })),
})

const attemptDepsOf = ({ webhooks, encryptionKey }: Pick<Services, 'webhooks' | 'encryptionKey'>) => ({
  ...webhooks,
  encryptionKey,
})

/**
 * Counts a test of an endpoint and returns the endpoint.
 * @throws ApiError 429 if the partner's server was called too often, 404 if no URL is set
 */
async function allowTest(ctx: Owner, kind: EndpointKey, purpose: TestPurpose): Promise<Endpoint> {
  const endpoint = await readEndpoint(ctx.db, ctx.partnerId, kind)
  if (endpoint === undefined) throw notFound('Endpoint')
  await countTest(ctx, purpose)
  return endpoint
}

interface Owner {
  db: Database
  partnerId: PartnerId
}

type TestPurpose = 'webhook-test' | 'webhook-examination'

/** Counts a test toward the rate limit. @throws ApiError 429 if the partner's server was called too often */
async function countTest({ db, partnerId }: Owner, purpose: TestPurpose): Promise<void> {
  const { isOver, retryAfterS } = await countAttempt(db, { purpose, of: [partnerId] })
  if (isOver) throw tooMany(`Webhook URLs can be tested ${limits[purpose].max} times a minute`, retryAfterS)
}
