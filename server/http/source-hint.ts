import type { IncomingMessage, ServerResponse } from 'node:http'
import { decryptFor } from '../protocol/encryption.ts'
import { Refusal, notFound } from '../protocol/errors.ts'
import type { Services } from '../runtime/services.ts'
import { hintPathOf, sourceOfHint } from '../sources/hint-path.ts'
import { hintSource, readSigningSecret } from '../sources/hint-store.ts'
import { isSignedByHubspot } from '../sources/hubspot/webhook-signature.ts'
import { ownerOfSigningSecret } from '../sources/secret-owner.ts'
import { sendJson } from './answer.ts'
import { readBody } from './body.ts'

/**
 * Answers a webhook of a CRM. It only has the source read at once: what has changed is read from the CRM itself. Sources that
 * do not exist are not told from those whose signature does not fit.
 * @throws Refusal 401 for a signature that does not fit or is older than five minutes, 404, 405, 413
 */
export async function answerHint(
  { db, config, encryptionKey }: Pick<Services, 'db' | 'config' | 'encryptionKey'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = sourceOfHint(request.url ?? '')
  if (id === null) throw notFound('Path')
  if (request.method !== 'POST')
    throw new Refusal('METHOD_NOT_ALLOWED', 'The method is not allowed here', { headers: { Allow: 'POST' } })
  const header = (name: string) => request.headers[name]?.toString() ?? ''
  const signed = {
    method: 'POST',
    url: `${config.publicUrl}${hintPathOf(id)}`,
    body: await readBody(request),
    timestamp: header('x-hubspot-request-timestamp'),
    signature: header('x-hubspot-signature-v3'),
  }
  const encrypted = await readSigningSecret(db, id)
  const secret = encrypted === null ? null : decryptFor(ownerOfSigningSecret(id), encrypted, encryptionKey)
  if (secret === null || !isSignedByHubspot(signed, secret, Date.now()))
    throw new Refusal('UNAUTHORIZED', 'The signature does not fit, or is older than five minutes')
  await hintSource(db, id)
  sendJson(response, 200, '{}')
}
