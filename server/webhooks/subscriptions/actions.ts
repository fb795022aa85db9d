import type { z } from 'zod'
import { type AuditContext, audited } from '../../access/audited.ts'
import type { PartnerId } from '../../accounts/partner.ts'
import { ApiError, notFound } from '../../errors.ts'
import type { Services } from '../../runtime/services.ts'
import { urlProblem } from '../endpoints/endpoint.ts'
import { subscriptionsMax } from '../policy.ts'
import type { Endpoint } from '../store.ts'
import { describeEndpoint } from '../wire.ts'
import { type NewSubscription, deleteSubscription, insertSubscription, updateSubscription } from './store.ts'
import { type CreateSubscription, subscribedEventsOf } from './wire.ts'

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
    ({ endpoint }: { endpoint: Endpoint; isNew: boolean }) => ({
      action: 'subscription.created',
      subject: describeEndpoint(endpoint),
      partnerId,
    }),
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
  return audited(
    context,
    (endpoint: Endpoint) => ({
      action: 'subscription.changed',
      subject: describeEndpoint(endpoint),
      partnerId,
    }),
    async (tx) => found(await updateSubscription(tx, partnerId, id, subscription)),
  )
}

/** Deletes a subscription. @throws ApiError 404 if there is none with this id */
export function unsubscribe(context: AuditContext, partnerId: PartnerId, id: string): Promise<Endpoint> {
  return audited(
    context,
    (endpoint: Endpoint) => ({
      action: 'subscription.removed',
      subject: describeEndpoint(endpoint),
      partnerId,
    }),
    async (tx) => found(await deleteSubscription(tx, partnerId, id)),
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
