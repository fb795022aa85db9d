import type { z } from 'zod'
import { type AuditContext, audited, note } from '../access/audited.ts'
import { type PartnerId, type TenantScope, ownerOf } from '../accounts/partner.ts'
import { ApiError, notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import type { TestResult } from './diagnosis.ts'
import { urlProblem } from './endpoint.ts'
import { findSearched } from './log-store.ts'
import { subscriptionsMax } from './policy.ts'
import type { EndpointName } from './queue-store.ts'
import { resend, resendAllOf } from './resend-store.ts'
import { type SigningSecret, endOlderSecrets, readSecrets, insertSecret } from './secret-store.ts'
import { type TestDeps, sendTest } from './send-test.ts'
import { type Endpoint, type EndpointUrls, readEndpoint, switchOn, writeEndpoints } from './store.ts'
import {
  type NewSubscription,
  deleteSubscription,
  insertSubscription,
  updateSubscription,
} from './subscription-store.ts'
import { type CreateSubscription, subscribedEventsOf } from './subscription-wire.ts'
import { describeEndpoint, type ResendDeliveries, describeResent, describeEndpoints } from './wire.ts'

// Webhook actions of admins and operators, shared by the portal, the REST API, and commands.

/** Returns the URLs that cannot be used, with the reason. */
export async function urlProblems(
  { endpointRules, resolve }: Pick<Services, 'endpointRules' | 'resolve'>,
  urls: Partial<EndpointUrls>,
): Promise<{ kind: string; reason: string }[]> {
  const checked = await Promise.all(
    Object.entries(urls).map(async ([kind, url]) => {
      const reason = url === null ? null : await urlProblem(url, endpointRules, resolve)
      return reason === null ? [] : { kind, reason }
    }),
  )
  return checked.flat()
}

/** Sets endpoint URLs, which must already be checked. Returns all stored URLs. */
export function setEndpoints(
  context: AuditContext,
  partnerId: PartnerId,
  urls: Partial<EndpointUrls>,
): Promise<EndpointUrls> {
  return audited(context, { action: 'address.changed', subject: describeEndpoints(urls), partnerId }, (tx) =>
    writeEndpoints(tx, partnerId, urls),
  )
}

/**
 * Creates a new current signing secret. Returns the active secrets.
 * @throws ApiError 400 if there are too many
 */
export function rotateSecret(
  context: AuditContext,
  partnerId: PartnerId,
  encryptionKey: Buffer,
): Promise<SigningSecret[]> {
  return audited(context, { action: 'secret.rotated', partnerId }, async (tx) => {
    const secrets = await insertSecret(tx, partnerId, encryptionKey)
    if (secrets === null)
      throw new ApiError(
        'BAD_REQUEST',
        'The secret was rotated several times within a day: wait until an older one has expired',
      )
    return secrets
  })
}

/** Returns the active signing secrets, starting with the current one. */
export function revealSecrets(
  context: AuditContext,
  partnerId: PartnerId,
  encryptionKey: Buffer,
): Promise<SigningSecret[]> {
  return audited(context, { action: 'secret.revealed', partnerId }, (tx) =>
    readSecrets(tx, partnerId, encryptionKey),
  )
}

/** Retires all secrets older than `current`. @throws ApiError 400 if it is no longer the current one */
export function retireOldSecrets(
  context: AuditContext,
  partnerId: PartnerId,
  encryptionKey: Buffer,
  current: string,
): Promise<void> {
  return audited(context, { action: 'secret.finished', partnerId }, async (tx) => {
    if (!(await endOlderSecrets(tx, partnerId, encryptionKey, current)))
      throw new ApiError('BAD_REQUEST', 'The secret was rotated in the meantime')
  })
}

/** Records that a test event is about to be sent. */
export const recordTest = (context: AuditContext, partnerId: PartnerId, endpoint: Endpoint): Promise<void> =>
  note(context, { action: 'address.tested', subject: describeEndpoint(endpoint), partnerId })

/**
 * Sends a test event, signed with `secrets` or, by default, with the partner's secrets.
 * @throws ApiError 404 if the endpoint has been removed
 */
export async function testEndpoint(
  context: AuditContext,
  partnerId: PartnerId,
  endpoint: Endpoint,
  deps: TestDeps,
  secrets?: string[],
): Promise<TestResult> {
  await recordTest(context, partnerId, endpoint)
  const result = await sendTest(context.db, partnerId, endpoint, deps, secrets)
  if (result === undefined) throw notFound('Endpoint')
  return result
}

/**
 * Enables an endpoint and sends its waiting deliveries. If the partner is suspended, the endpoint stays off.
 * @throws ApiError 404 if no URL is set
 */
export async function switchOnEndpoint(
  context: AuditContext,
  { partnerId, kind }: EndpointName,
): Promise<void> {
  await audited(context, entryFor('address.switched-on', partnerId), async (tx) => {
    if (!(await switchOn(tx, partnerId, kind))) throw notFound('Endpoint')
    return (await readEndpoint(tx, partnerId, kind))!
  })
}

/** Returns the audit entry of an action on an endpoint. */
const entryFor =
  <Action extends string>(action: Action, partnerId: PartnerId) =>
  (endpoint: Endpoint) => ({
    action,
    subject: describeEndpoint(endpoint),
    partnerId,
  })

/**
 * Resends a delivery of the tenant.
 * @throws ApiError 404 if it does not exist or its endpoint is not set, 400 if it was withdrawn
 */
export function resendOne(context: AuditContext, tenant: TenantScope, id: number): Promise<void> {
  return audited(
    context,
    { action: 'delivery.resent', subject: `delivery ${id}`, partnerId: ownerOf(tenant) },
    async (tx) => {
      if (!(await resend(tx, tenant, id))) throw notFound('Delivery')
    },
  )
}

/** Resends the tenant's deliveries that match the filter. Returns the count. */
export async function resendAll(
  context: AuditContext,
  tenant: TenantScope,
  filter: ResendDeliveries,
): Promise<number> {
  const search = await findSearched(context.db, tenant, filter.search)
  return audited(
    context,
    (count: number) => ({
      action: 'deliveries.resent',
      subject: describeResent(count, filter),
      partnerId: ownerOf(tenant),
    }),
    (tx) => resendAllOf(tx, tenant, { ...filter, search }),
  )
}

/**
 * Creates a subscription, or returns an existing subscription that is equal.
 * @throws ApiError 400 if the partner has too many
 */
export function subscribe(
  context: AuditContext,
  partnerId: PartnerId,
  subscription: NewSubscription,
): Promise<{ endpoint: Endpoint; isNew: boolean }> {
  return audited(
    context,
    ({ endpoint }: { endpoint: Endpoint; isNew: boolean }) =>
      entryFor('subscription.created', partnerId)(endpoint),
    async (tx) => {
      const stored = await insertSubscription(tx, partnerId, subscription, subscriptionsMax)
      if (stored === null)
        throw new ApiError(
          'BAD_REQUEST',
          `You have reached the limit of ${subscriptionsMax} subscriptions; delete one first`,
        )
      return stored
    },
  )
}

/** Changes a subscription. @throws ApiError 404 if there is none with this id */
export function changeSubscription(
  context: AuditContext,
  partnerId: PartnerId,
  id: string,
  subscription: NewSubscription,
): Promise<Endpoint> {
  return audited(context, entryFor('subscription.changed', partnerId), async (tx) =>
    found(await updateSubscription(tx, partnerId, id, subscription)),
  )
}

/** Deletes a subscription. @throws ApiError 404 if there is none with this id */
export function unsubscribe(context: AuditContext, partnerId: PartnerId, id: string): Promise<Endpoint> {
  return audited(context, entryFor('subscription.removed', partnerId), async (tx) =>
    found(await deleteSubscription(tx, partnerId, id)),
  )
}

/** Returns the subscription if it exists. @throws ApiError 404 if there is none */
export function found(endpoint: Endpoint | undefined): Endpoint {
  if (endpoint === undefined) throw notFound('Subscription')
  return endpoint
}

/** Returns a subscription to store. @throws ApiError 400 if its URL or its filter cannot be used */
export async function acceptable(
  { endpointRules, resolve }: Pick<Services, 'endpointRules' | 'resolve'>,
  { url, name, ...choice }: z.infer<typeof CreateSubscription>,
): Promise<NewSubscription> {
  const { subscribed, problems } = subscribedEventsOf(choice)
  const reason = await urlProblem(url, endpointRules, resolve)
  const errors = [...(reason === null ? [] : [`url: ${reason}`]), ...problems]
  if (errors.length > 0) throw new ApiError('BAD_REQUEST', 'The subscription cannot be used', { errors })
  return { url, name: name?.trim() || null, ...subscribed }
}
