import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import { parseJson } from '../values/int64.ts'
import { bodyMaxBytes } from './policy.ts'

const jsonType = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;|$)/i

const tooLarge = (maxBytes: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`)

/**
 * Reads the JSON body of a request whose type is `application/json` or `application/*+json` (RFC 6839).
 * @throws ApiError 413, 415, or 400 if it is not JSON
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  if (!jsonType.test(request.headers['content-type'] ?? '')) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json')
  }
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed')
  }
  const body = await readBody(request)
  try {
    // Programs on Windows often start UTF-8 with a byte order mark, which is not part of the JSON.
    if (isUtf8(body)) return parseJson(body.toString().replace(/^\ufeff/, ''))
  } catch {
    // Invalid JSON is rejected below, like text that is not UTF-8.
  }
  throw new ApiError('BAD_REQUEST', 'The request is not valid', {
    errors: ['the body must be JSON in UTF-8'],
  })
}

/** Reads the entire body of a request. @throws ApiError 413, or 400 if the body ends early */
export function readBody(request: IncomingMessage, maxBytes = bodyMaxBytes): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) {
        request.removeAllListeners('data')
        reject(tooLarge(maxBytes))
      } else {
        chunks.push(chunk)
      }
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => reject(new ApiError('BAD_REQUEST', 'The request ended early')))
  })
}
