import { type AuditContext, audited, note } from '../access/audited.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { ApiError, notFound } from '../errors.ts'
import type { EndpointName } from './dispatcher/queue-store.ts'
import { type SigningSecret, endOlderSecrets, readSecrets, insertSecret } from './endpoints/secret-store.ts'
import { type TestDeps, type TestResult, sendTest } from './send-test.ts'
import { type Endpoint, type EndpointUrls, readEndpoint, switchOn, writeEndpoints } from './store.ts'
import { describeEndpoint, describeEndpoints } from './wire.ts'

// Webhook actions of admins and operators, shared by the portal, the REST API, and commands.

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

/** Records that a test event is about to be sent. @throws ApiError 404 if no URL is set */
export async function recordTest(context: AuditContext, { partnerId, kind }: EndpointName): Promise<void> {
  const endpoint = await readEndpoint(context.db, partnerId, kind)
  if (endpoint === undefined) throw notFound('Endpoint')
  await note(context, { action: 'address.tested', subject: describeEndpoint(endpoint), partnerId })
}

/**
 * Sends a test event, signed with `secrets` or, by default, with the partner's secrets.
 * @throws ApiError 404 if no URL is set
 */
export async function testEndpoint(
  context: AuditContext,
  name: EndpointName,
  deps: TestDeps,
  secrets?: string[],
): Promise<TestResult> {
  await recordTest(context, name)
  const result = await sendTest(context.db, name, deps, secrets)
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
  await audited(
    context,
    (endpoint: Endpoint) => ({
      action: 'address.switched-on',
      subject: describeEndpoint(endpoint),
      partnerId,
    }),
    async (tx) => {
      if (!(await switchOn(tx, partnerId, kind))) throw notFound('Endpoint')
      return (await readEndpoint(tx, partnerId, kind))!
    },
  )
}
