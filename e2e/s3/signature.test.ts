import { describe, expect, test } from 'vitest'
import {
  type SignedRequest,
  chunkSignature,
  decodeChunked,
  emptyHash,
  hashOf,
  signatureOf,
} from './signature.ts'

// Examples published by AWS in the S3 API reference ("Signature Calculations for the Authorization Header",
// "Transferring Payload in Multiple Chunks" and "Authenticating Requests: Using Query Parameters").
const signer = {
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  time: '20130524T000000Z',
  region: 'us-east-1',
}
const host = 'examplebucket.s3.amazonaws.com'
const get = (target: string, more: Record<string, string> = {}): SignedRequest => {
  const headers = { host, 'x-amz-content-sha256': emptyHash, 'x-amz-date': signer.time, ...more }
  return {
    method: 'GET',
    target,
    headers,
    signedHeaders: Object.keys(headers).toSorted(),
    payloadHash: emptyHash,
  }
}

describe('signatures equal the examples published by AWS', () => {
  test.each([
    [
      'a range',
      get('/test.txt', { range: 'bytes=0-9' }),
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'the lifecycle of a bucket',
      get('/?lifecycle'),
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'a list',
      get('/?max-keys=2&prefix=J'),
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('a GET request for %s', (_what, request, signature) =>
    expect(signatureOf(signer, request)).toBe(signature),
  )

  test('a PUT request for an object', () => {
    const payloadHash = hashOf('Welcome to Amazon S3.')
    const request = {
      method: 'PUT',
      target: '/test%24file.text',
      headers: {
        host,
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-content-sha256': payloadHash,
        'x-amz-date': signer.time,
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      signedHeaders: ['date', 'host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-storage-class'],
      payloadHash,
    }
    expect(signatureOf(signer, request)).toBe(
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    )
  })

  test('a presigned URL', () => {
    const target =
      '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host'
    expect(
      signatureOf(signer, {
        method: 'GET',
        target: `${target}&X-Amz-Signature=0000`,
        headers: { host },
        signedHeaders: ['host'],
        payloadHash: 'UNSIGNED-PAYLOAD',
      }),
    ).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
  })

  test('a body uploaded in signed chunks', () => {
    const headers = {
      'content-encoding': 'aws-chunked',
      'content-length': '66824',
      host: 's3.amazonaws.com',
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      'x-amz-date': signer.time,
      'x-amz-decoded-content-length': '66560',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    }
    const seed = signatureOf(signer, {
      method: 'PUT',
      target: '/examplebucket/chunkObject.txt',
      headers,
      signedHeaders: Object.keys(headers),
      payloadHash: headers['x-amz-content-sha256'],
    })
    expect(seed).toBe('4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9')
    const chunks = [Buffer.alloc(65_536, 'a'), Buffer.alloc(1024, 'a'), Buffer.alloc(0)]
    const frames: Buffer[] = []
    const signatures: string[] = []
    for (const chunk of chunks) {
      const signature = chunkSignature(signer, signatures.at(-1) ?? seed, chunk)
      signatures.push(signature)
      frames.push(
        Buffer.from(`${chunk.length.toString(16)};chunk-signature=${signature}\r\n`),
        chunk,
        Buffer.from('\r\n'),
      )
    }
    expect(signatures).toEqual([
      'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
    ])
    const body = Buffer.concat(frames)
    expect(body).toHaveLength(66_824)
    expect(decodeChunked(body, { ...signer, seed })).toEqual(Buffer.alloc(66_560, 'a'))
    body[40_000] = 98
    expect(() => decodeChunked(body, { ...signer, seed })).toThrow('signature')
  })
})
