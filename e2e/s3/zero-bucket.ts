import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { type Bucket, S3Error, rangeOf, sendXml } from './bucket.ts'

const blockBytes = 1024 * 1024
const zeros = Buffer.alloc(blockBytes)

/** Yields this many zeros. */
function* zeroBlocks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= blockBytes) yield zeros.subarray(0, Math.min(left, blockBytes))
}

/** Returns whether all bytes are zero. */
export function areZeros(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const part = bytes.subarray(at, at + blockBytes)
    if (zeros.compare(part, 0, part.length, 0, part.length) !== 0) return false
  }
  return true
}

/** Creates an empty bucket that accepts only zeros and keeps their number: contents may be of any size. */
export function makeZeroBucket(): Bucket {
  const sizes = new Map<string, number>()
  const uploads = new Map<string, Map<number, number>>()
  return {
    objects: new Map(),
    uploads: new Map(),
    serve({ request, response, url, key, body }) {
      const upload = url.searchParams.get('uploadId')
      const isContent = request.method === 'PUT'
      if (isContent && !areZeros(body)) throw new S3Error(400, 'BadDigest')
      if (isContent && upload === null) sizes.set(key, body.length)
      else if (isContent) uploads.get(upload!)!.set(Number(url.searchParams.get('partNumber')), body.length)
      else if (request.method === 'POST') {
        post(response, key, upload)
        return
      } else if (request.method === 'DELETE') {
        if (upload === null) sizes.delete(key)
        else uploads.delete(upload)
        response.statusCode = 204
      } else if (key === '') {
        // Nothing to list, but the bucket exists.
        sendXml(response, '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
        return
      } else {
        const { start, end } = rangeOf(request, response, sizes.get(key))
        if (request.method === 'HEAD') response.end()
        else Readable.from(zeroBlocks(end - start + 1)).pipe(response)
        return
      }
      response.setHeader('ETag', '"x"').end()
    },
  }

  function post(response: ServerResponse, key: string, upload: string | null): void {
    if (upload === null) {
      const id = randomUUID()
      uploads.set(id, new Map())
      sendXml(
        response,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
      return
    }
    sizes.set(
      key,
      [...uploads.get(upload)!.values()].reduce((sum, size) => sum + size, 0),
    )
    uploads.delete(upload)
    sendXml(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
  }
}
