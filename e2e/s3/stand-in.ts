import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenLocally } from '../loopback.ts'
import { type Bucket, S3Error, makeBucket } from './bucket.ts'
import { BadBodyError, decodeChunked, emptyHash, hashOf, signatureOf } from './signature.ts'

// An object store with the parts of the S3 protocol that the product uses. It is strict: it computes every
// signature itself (`signature.ts`) and rejects whatever Amazon S3 rejects.

interface Faults {
  /** Cuts every connection. */
  isAway: boolean
  slowMs: number
  /** Rejects all new objects, as if the store were full. */
  isFull: boolean
  /** Number of upcoming requests that get a "slow down" response. */
  busyFor: number
  /** Responds to every request with this status and body, like a broken store or a proxy in front of it. */
  broken: { status: number; body: string } | null
  /** How many milliseconds the store's clock is ahead of ours. */
  skewMs: number
}

export interface StoreStandIn {
  url: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  env: Record<string, string>
  objects: Bucket['objects']
  uploads: Bucket['uploads']
  faults: Faults
  requests: string[]
  received(): number
  close(): Promise<void>
}

const expiryMaxS = 7 * 24 * 60 * 60
const skewMaxMs = 15 * 60_000

/** Starts a store with one bucket, empty by default. */
export async function startStore(store = makeBucket()): Promise<StoreStandIn> {
  const faults: Faults = { isAway: false, slowMs: 0, isFull: false, busyFor: 0, broken: null, skewMs: 0 }
  const requests: string[] = []
  const access = { region: 'eu-test-1', accessKeyId: 'AKTEST', secretAccessKey: randomUUID() }
  const bucket = 'deals'
  let receivedBytes = 0

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => sendError(error, request, response))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://store')
    requests.push(`${request.method} ${url.pathname}`)
    response.setHeader('Date', new Date(Date.now() + faults.skewMs).toUTCString())
    if (faults.isAway) {
      request.socket.destroy()
      return
    }
    if (faults.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, faults.slowMs))
    const sent = await buffer(request)
    if (request.method === 'PUT') receivedBytes += sent.length
    if (faults.broken !== null) {
      response.writeHead(faults.broken.status, { 'Content-Type': 'text/html' }).end(faults.broken.body)
      return
    }
    if (faults.busyFor > 0) {
      faults.busyFor--
      throw new S3Error(503, 'SlowDown')
    }
    const body = contentOf(request, sent, access, Date.now() + faults.skewMs)
    const [, asked, key = ''] = /^\/([^/]+)(?:\/(.*))?$/.exec(decodeURIComponent(url.pathname)) ?? []
    if (asked !== bucket) throw new S3Error(404, 'NoSuchBucket')
    if (faults.isFull && (request.method === 'PUT' || request.method === 'POST'))
      throw new S3Error(507, 'InsufficientStorage')
    store.serve({ request, response, url, key, body })
  }

  const { url, close } = await listenLocally(server)
  return {
    ...access,
    url,
    bucket,
    env: {
      S3_ENDPOINT: url,
      S3_BUCKET: bucket,
      S3_REGION: access.region,
      S3_ACCESS_KEY_ID: access.accessKeyId,
      S3_SECRET_ACCESS_KEY: access.secretAccessKey,
    },
    objects: store.objects,
    uploads: store.uploads,
    faults,
    requests,
    received: () => receivedBytes,
    close,
  }
}

function sendError(error: unknown, { method }: IncomingMessage, response: ServerResponse): void {
  const { status, code } = error instanceof S3Error ? error : new S3Error(500, 'InternalError')
  response.writeHead(status, { 'Content-Type': 'application/xml' })
  response.end(method === 'HEAD' ? '' : `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
}

/**
 * Returns the content of a request's body after verifying the signature.
 * @throws S3Error
 */
function contentOf(
  request: IncomingMessage,
  body: Buffer,
  access: Pick<StoreStandIn, 'region' | 'accessKeyId' | 'secretAccessKey'>,
  nowMs: number,
): Buffer {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const { searchParams } = new URL(request.url!, 'http://store')
  const isPresigned = searchParams.has('X-Amz-Signature')
  const given = isPresigned ? inQuery(searchParams) : inHeader(headers)
  const signer = { secret: access.secretAccessKey, time: given.time, region: access.region }
  if (given.scope !== `${access.accessKeyId}/${given.time.slice(0, 8)}/${access.region}/s3/aws4_request`)
    throw new S3Error(403, 'InvalidAccessKeyId')
  checkTime(given, nowMs)
  const unsigned = Object.keys(headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !given.signedHeaders.includes(name),
  )
  if (unsigned.length > 0) throw new S3Error(403, 'AccessDenied')
  const payloadHash = isPresigned ? 'UNSIGNED-PAYLOAD' : (headers['x-amz-content-sha256'] ?? '')
  const signature = signatureOf(signer, {
    method: request.method!,
    target: request.url!,
    headers,
    signedHeaders: given.signedHeaders,
    payloadHash,
  })
  if (signature !== given.signature) throw new S3Error(403, 'SignatureDoesNotMatch')
  if (isPresigned && request.method !== 'GET' && request.method !== 'HEAD')
    throw new S3Error(403, 'AccessDenied')
  return payloadOf(body, payloadHash, { ...signer, seed: signature })
}

function payloadOf(body: Buffer, payloadHash: string, signed: Parameters<typeof decodeChunked>[1]): Buffer {
  try {
    if (payloadHash === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD') return decodeChunked(body, signed)
    if (payloadHash === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return decodeChunked(body, null)
  } catch (error) {
    throw error instanceof BadBodyError ? new S3Error(403, 'SignatureDoesNotMatch') : error
  }
  if (payloadHash !== 'UNSIGNED-PAYLOAD' && payloadHash !== (body.length === 0 ? emptyHash : hashOf(body)))
    throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  return body
}

interface Given {
  scope: string
  time: string
  /** Lifetime of a presigned URL in seconds; null for signatures in the header. */
  expiresS: number | null
  signedHeaders: string[]
  signature: string
}

function inHeader(headers: Record<string, string>): Given {
  const [, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers['authorization'] ?? '',
    ) ?? []
  if (scope === undefined) throw new S3Error(403, 'AccessDenied')
  return {
    scope,
    time: headers['x-amz-date'] ?? '',
    expiresS: null,
    signedHeaders: names!.split(';'),
    signature: signature!,
  }
}

function inQuery(query: URLSearchParams): Given {
  const value = (name: string) => query.get(`X-Amz-${name}`) ?? ''
  if (value('Algorithm') !== 'AWS4-HMAC-SHA256') throw new S3Error(400, 'AuthorizationQueryParametersError')
  return {
    scope: value('Credential'),
    time: value('Date'),
    expiresS: Number(value('Expires')),
    signedHeaders: value('SignedHeaders').split(';'),
    signature: value('Signature'),
  }
}

function checkTime({ time, expiresS }: Given, nowMs: number): void {
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(at)) throw new S3Error(403, 'AccessDenied')
  if (expiresS === null) {
    if (Math.abs(nowMs - at) > skewMaxMs) throw new S3Error(403, 'RequestTimeTooSkewed')
    return
  }
  if (!(expiresS >= 1 && expiresS <= expiryMaxS)) throw new S3Error(400, 'AuthorizationQueryParametersError')
  if (at - nowMs > skewMaxMs) throw new S3Error(403, 'RequestTimeTooSkewed')
  if (nowMs >= at + expiresS * 1000) throw new S3Error(403, 'AccessDenied')
}
