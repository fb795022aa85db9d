import type { IncomingMessage, ServerResponse } from 'node:http'
import { callerOfClient } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import { ApiError, methodNotAllowed, notFound } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { hintSource, readSigningSecret } from '../sources/announced-store.ts'
import {
  hintPathOf,
  sourceOfHint,
  announcedIn,
  isRecentHint,
  isSignedByHubspot,
} from '../sources/hubspot-webhook.ts'
import { ownerOfSigningSecret } from '../sources/store.ts'
import { decryptFor } from '../values/encryption.ts'
import { admitRequest, receiveBody } from './admit-request.ts'
import { sendJson } from './answer.ts'
import { readBody } from './body.ts'
import type { RequestContext } from './request-context.ts'

/** Ten times the usual size. Changes in larger hints are found by the next poll. */
const hintMaxBytes = 256 * 1024

/** Maximum time that a hint waits for a slot. */
const hintWaitMs = 900

const invalidSignature = () =>
  new ApiError('UNAUTHORIZED', 'The signature is invalid or older than five minutes')

/**
 * Handles a webhook from the CRM, which triggers a poll for the announced deals. Returns the same error for
 * unknown sources and for invalid signatures.
 * @throws ApiError 401 for an invalid signature, 404, 405, 413, 429 or 503
 */
export async function answerHint(
  services: Pick<Services, 'db' | 'config' | 'encryptionKey' | 'admission'>,
  request: IncomingMessage,
  response: ServerResponse,
  context: Pick<RequestContext, 'work' | 'isClosed'>,
): Promise<void> {
  const { db, config, encryptionKey, admission } = services
  const id = sourceOfHint(request.url ?? '')
  if (id === null) throw notFound('Path')
  if (request.method !== 'POST') throw methodNotAllowed('POST')
  if (!isRecentHint(request.headers, Date.now())) throw invalidSignature()
  const caller = callerOfClient(clientOf(request))
  const signed = {
    method: 'POST',
    url: `${config.publicUrl}${hintPathOf(id)}`,
    headers: request.headers,
    body: await receiveBody(admission.bodies, caller, () => readBody(request, hintMaxBytes)),
  }
  await admitRequest(services, context, caller, hintWaitMs, async () => {
    const encrypted = await readSigningSecret(db, id)
    const secret = encrypted === null ? null : decryptFor(ownerOfSigningSecret(id), encrypted, encryptionKey)
    if (secret === null || !isSignedByHubspot(signed, secret, Date.now())) throw invalidSignature()
    await hintSource(db, id, announcedIn(signed.body))
  })
  sendJson(response, 200, '{}')
}
