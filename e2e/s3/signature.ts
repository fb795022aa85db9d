import { createHash, createHmac } from 'node:crypto'

// AWS Signature Version 4, implemented from its documentation and independent of the SDK that it checks:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html

/** Credentials, time and region of a signature. */
export interface Signer {
  secret: string
  /** Time such as `20130524T000000Z`. */
  time: string
  region: string
}

/** The parts of a request that are signed. */
export interface SignedRequest {
  method: string
  target: string
  headers: Record<string, string>
  signedHeaders: string[]
  payloadHash: string
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/** Hash of an empty body. */
export const emptyHash = sha256('')

/** Percent-encodes everything except unreserved characters (RFC 3986, section 2.3). */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.codePointAt(0)!.toString(16).toUpperCase()}`,
  )

const scopeOf = ({ time, region }: Signer) => `${time.slice(0, 8)}/${region}/s3/aws4_request`

function sign(signer: Signer, text: string): string {
  const key = [signer.time.slice(0, 8), signer.region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${signer.secret}`,
  )
  return hmac(key, text).toString('hex')
}

/**
 * Returns the expected signature of a request. The signature parameters come from the query if it has an
 * `X-Amz-Signature`, otherwise from the headers.
 */
export function signatureOf(signer: Signer, request: SignedRequest): string {
  return sign(
    signer,
    ['AWS4-HMAC-SHA256', signer.time, scopeOf(signer), sha256(canonicalRequest(request))].join('\n'),
  )
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

/** Thrown when the body differs from the signed body. */
export class BadBodyError extends Error {}

/**
 * Decodes an `aws-chunked` body. If given the seed signature, also verifies the signature of every chunk.
 * @throws BadBodyError
 */
export function decodeChunked(body: Buffer, signed: (Signer & { seed: string }) | null): Buffer {
  const chunks: Buffer[] = []
  let previous = signed?.seed ?? ''
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at)
    const [, hexSize, signature] =
      /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(body.toString('latin1', at, end)) ?? []
    if (hexSize === undefined) throw new BadBodyError('not aws-chunked')
    const start = end + 2
    const size = Number.parseInt(hexSize, 16)
    const chunk = body.subarray(start, start + size)
    if (signed !== null) {
      const expected = chunkSignature(signed, previous, chunk)
      if (signature !== expected) throw new BadBodyError('the signature of a chunk does not match')
      previous = expected
    }
    if (size === 0) return Buffer.concat(chunks)
    if (body.toString('latin1', start + size, start + size + 2) !== '\r\n')
      throw new BadBodyError('a chunk has another length')
    chunks.push(chunk)
    at = start + size + 2
  }
}

/** Returns the signature of a chunk. `previous` is the signature of the chunk before it. */
export function chunkSignature(signer: Signer, previous: string, chunk: Buffer): string {
  return sign(
    signer,
    ['AWS4-HMAC-SHA256-PAYLOAD', signer.time, scopeOf(signer), previous, emptyHash, sha256(chunk)].join('\n'),
  )
}

/** Returns the SHA-256 hash in hexadecimal. */
export const hashOf = sha256
