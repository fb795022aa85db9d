import type { IncomingMessage, ServerResponse } from 'node:http'
import contentDisposition from 'content-disposition'
import send from 'send'
import { Refusal, notFound } from '../protocol/errors.ts'
import type { Services } from '../runtime/services.ts'
import { openPath } from './signature.ts'
import { findSignedFile } from './store.ts'

/**
 * Responds to a request for a signed URL with the file, including ranges and conditions (RFC 9110, sections
 * 13 and 14).
 * @throws Refusal 403 when the URL is altered or expired, 404 when the file no longer exists, 405, 416
 */
export async function download(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = openPath(services.fileKey, request.url ?? '', Date.now() / 1000)
  if (id === null) throw new Refusal('FORBIDDEN', 'The URL is invalid or has expired')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new Refusal('METHOD_NOT_ALLOWED', 'The method is not allowed here', {
      headers: { Allow: 'GET, HEAD' },
    })
  }
  const file = await findSignedFile(services.db, id)
  if (file === undefined) throw notFound('File')
  // `send` rejects a suffix range longer than the file, which means the whole file (RFC 9110, section
  // 14.1.2).
  const lastBytes = /^bytes=-(\d+)$/.exec(request.headers.range ?? '')?.[1]
  if (lastBytes !== undefined && Number(lastBytes) > file.sizeBytes) request.headers.range = 'bytes=0-'
  response.setHeader('Content-Type', file.type)
  response.setHeader('Content-Disposition', contentDisposition(file.name))
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'")
  response.setHeader('Cache-Control', 'private, no-cache')
  // A client that disconnected in the meantime gets no response; `close` is not emitted twice.
  if (response.destroyed) return
  await new Promise<void>((resolve, reject) => {
    response.once('close', resolve)
    send(request, encodeURI(services.storage.pathOf(id)), {
      cacheControl: false,
      dotfiles: 'allow',
      index: false,
    })
      .on('error', (error: Error & { status?: number }) => reject(refusalOf(error, file.sizeBytes)))
      .on('directory', () => reject(notFound('File')))
      .pipe(response)
  })
}

function refusalOf(error: Error & { status?: number }, sizeBytes: number): Error {
  if (error.status === 404) return notFound('File')
  if (error.status === 412) return new Refusal('PRECONDITION_FAILED', 'The file has changed')
  if (error.status !== 416) return error
  return new Refusal('RANGE_NOT_SATISFIABLE', 'The file has no such range', {
    headers: { 'Content-Range': `bytes */${sizeBytes}` },
  })
}
