import { createHash, createHmac, randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenLocally } from '../loopback.ts'
import { type Bucket, S3Error, makeBucket } from './bucket.ts'

// An object store with the parts of the S3 protocol that the product uses. It is strict: it computes every
// signature itself and rejects whatever Amazon S3 rejects.

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
export async function startStore(): Promise<StoreStandIn> {
  const store = makeBucket()
  const faults: Faults = { isAway: false, slowMs: 0, isFull: false, busyFor: 0, broken: null, skewMs: 0 }
  const requests: string[] = []
  const secretAccessKey = randomUUID()
  const access = { bucket: 'deals', region: 'eu-test-1', accessKeyId: 'AKTEST', secretAccessKey }
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
    requireSignature(request, sent, access, Date.now() + faults.skewMs)
    const [, bucketName, key = ''] = /^\/([^/]+)(?:\/(.*))?$/.exec(decodeURIComponent(url.pathname)) ?? []
    if (bucketName !== access.bucket) throw new S3Error(404, 'NoSuchBucket')
    if (faults.isFull && (request.method === 'PUT' || request.method === 'POST'))
      throw new S3Error(507, 'InsufficientStorage')
    store.serve({ request, response, url, key, body: sent })
  }

  const { url, close } = await listenLocally(server)
  return {
    ...access,
    url,
    env: {
      S3_ENDPOINT: url,
      S3_BUCKET: access.bucket,
      S3_REGION: access.region,
      S3_ACCESS_KEY_ID: access.accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
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

/** @throws S3Error unless the request was signed with these credentials at about this time */
function requireSignature(
  request: IncomingMessage,
  body: Buffer,
  access: Pick<StoreStandIn, 'region' | 'accessKeyId' | 'secretAccessKey'>,
  nowMs: number,
): void {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const { searchParams } = new URL(request.url!, 'http://store')
  const isPresigned = searchParams.has('X-Amz-Signature')
  const authorization = isPresigned ? inQuery(searchParams) : inHeader(headers)
  if (
    authorization.scope !==
    `${access.accessKeyId}/${authorization.time.slice(0, 8)}/${access.region}/s3/aws4_request`
  )
    throw new S3Error(403, 'InvalidAccessKeyId')
  checkTime(authorization, nowMs)
  const unsigned = Object.keys(headers).filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !authorization.signedHeaders.includes(name),
  )
  if (unsigned.length > 0) throw new S3Error(403, 'AccessDenied')
  const payloadHash = isPresigned ? 'UNSIGNED-PAYLOAD' : (headers['x-amz-content-sha256'] ?? '')
  const signer = { secret: access.secretAccessKey, time: authorization.time, region: access.region }
  const signature = signatureOf(signer, {
    method: request.method!,
    target: request.url!,
    headers,
    signedHeaders: authorization.signedHeaders,
    payloadHash,
  })
  if (signature !== authorization.signature) throw new S3Error(403, 'SignatureDoesNotMatch')
  if (isPresigned && request.method !== 'GET' && request.method !== 'HEAD')
    throw new S3Error(403, 'AccessDenied')
  if (!isPresigned && payloadHash !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
}

interface Authorization {
  scope: string
  time: string
  /** Lifetime of a presigned URL in seconds; null for signatures in the header. */
  expiresS: number | null
  signedHeaders: string[]
  signature: string
}

function inHeader(headers: Record<string, string>): Authorization {
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

function inQuery(query: URLSearchParams): Authorization {
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

function checkTime({ time, expiresS }: Authorization, nowMs: number): void {
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

// AWS Signature Version 4, implemented from its documentation and independent of the SDK that it checks:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html

/** Credentials, time and region of a signature. */
interface Signer {
  secret: string
  /** Time such as `20130524T000000Z`. */
  time: string
  region: string
}

/** The parts of a request that are signed. */
interface SignedRequest {
  method: string
  target: string
  headers: Record<string, string>
  signedHeaders: string[]
  payloadHash: string
}

/** Returns the SHA-256 hash in hexadecimal. */
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/** Percent-encodes everything except unreserved characters (RFC 3986, section 2.3). */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.codePointAt(0)!.toString(16).toUpperCase()}`,
  )

/**
 * Returns the expected signature of a request. The signature parameters come from the query if it has an
 * `X-Amz-Signature`, otherwise from the headers.
 */
function signatureOf({ secret, time, region }: Signer, request: SignedRequest): string {
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonicalRequest(request))].join('\n')
  return hmac(key, text).toString('hex')
}

function canonicalRequest({ method, target, headers, signedHeaders, payloadHash }: SignedRequest): string {
  const at = target.indexOf('?')
  const path = at === -1 ? target : target.slice(0, at)
  const query = (at === -1 ? '' : target.slice(at + 1))
    .split('&')
    .filter((part) => part !== '' && !part.startsWith('X-Amz-Signature='))
    .map((part) => {
      const [name, ...value] = part.split('=')
      return [name!, value.join('=')].map((text) => encode(decodeURIComponent(text))) as [string, string]
    })
    .toSorted(([a, x], [b, y]) => Number(a + x > b + y) - Number(a + x < b + y))
  return [
    method,
    path
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    query.map((pair) => pair.join('=')).join('&'),
    ...signedHeaders.map((name) => `${name}:${headers[name]!.trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n')
}
