import type { IncomingMessage, ServerResponse } from 'node:http'
import { notFound } from '../errors.ts'
import { openUnsubscribeToken } from '../notifications/mailing-list.ts'
import { stopMail } from '../notifications/store.ts'
import type { Services } from '../runtime/services.ts'
import type { RequestContext } from './request-context.ts'

/** Returns true for a POST to the unsubscribe link in an e-mail. */
export const isUnsubscribe = ({ method, url }: IncomingMessage) =>
  method === 'POST' && url?.startsWith('/unsubscribe/') === true

/**
 * Stops mail to the user that a signed link belongs to. The page is redirected to show the result, but an
 * e-mail client (RFC 8058) is not.
 * @throws ApiError 404 if the link is altered or its user removed
 */
export async function answerUnsubscribe(
  { db, encryptionKey }: Pick<Services, 'db' | 'encryptionKey'>,
  { path, search }: Pick<RequestContext, 'path' | 'search'>,
  response: ServerResponse,
): Promise<void> {
  const userId = openUnsubscribeToken(encryptionKey, path.slice('/unsubscribe/'.length))
  if (userId === null || !(await stopMail(db, userId))) throw notFound('Link')
  if (search === '')
    return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Unsubscribed\n')
  response.writeHead(303, { Location: path }).end()
}
