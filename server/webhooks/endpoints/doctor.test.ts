import { type KeyObject, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { freePort } from '#db/free-port.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { makeReceivingPartner } from '#e2e/delivery-queue.ts'
import { closeAfterEach, encryptionKey } from '#e2e/dispatchers.ts'
import { type Answer, type Receiver, verified } from '#e2e/receiver.ts'
import { parseCidrs } from '../../net/ip-address.ts'
import type { Resolve } from '../../net/resolve.ts'
import { makeSafeFetch } from '../dispatcher/safe-fetch.ts'
import type { Check, Verdict } from './diagnosis.ts'
import { examine } from './doctor.ts'
import { readSecrets } from './secret-store.ts'

const { keep, listen } = closeAfterEach()
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
})
afterAll(() => database.drop())

const toLoopback: Resolve = async () => ['127.0.0.1']

/** Returns the results of checking a new partner's URL, by check. */
async function examined(
  url: string,
  {
    resolve = toLoopback,
    timeoutMs = 20_000,
    prepare = async () => {},
  }: { resolve?: Resolve; timeoutMs?: number; prepare?: (secret: string) => Promise<void> | void } = {},
) {
  const safeFetch = keep(makeSafeFetch({ allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }, resolve))
  const partnerId = await makeReceivingPartner(db, { create: url })
  await prepare((await readSecrets(db, partnerId, encryptionKey))[0]!.secret)
  const means = { safeFetch, encryptionKey, timeoutMs, retry: { scheduleMs: [0], throttleMs: 0 } }
  const { findings, deliveryId } = (await examine(db, { partnerId, kind: 'create' }, means))!
  const log = await db.$client<
    { id: number; state: string; body: string }[]
  >`select id::float8, state, test_body as body from deliveries where partner_id = ${partnerId}`
  return {
    deliveryId,
    log,
    verdicts: Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict])) as Record<
      Check,
      Verdict
    >,
    texts: Object.fromEntries(findings.map(({ check, text }) => [check, text])) as Record<Check, string>,
  }
}

/** Makes the receiver accept only requests signed with the secret, like a partner's system. */
const verifyAt = (receiver: Receiver) => (secret: string) => {
  receiver.answer = (request) => {
    try {
      verified(secret, request)
      return 204
    } catch {
      return 401
    }
  }
}

const unreached = { answer: 'unseen', redirect: 'unseen', accepts: 'unseen', refuses: 'unseen' }

describe('an endpoint', () => {
  test('that verifies signatures passes every check, and gets a logged test and an unlogged forgery', async () => {
    const receiver = await listen()
    const { verdicts, texts, deliveryId, log } = await examined(`${receiver.url}/created`, {
      prepare: verifyAt(receiver),
    })
    expect(verdicts).toEqual({
      address: 'good',
      certificate: 'info',
      answer: 'good',
      redirect: 'good',
      accepts: 'good',
      refuses: 'good',
    })
    expect(texts).toMatchObject({
      accepts: expect.stringContaining('(204)') as string,
      refuses: expect.stringContaining('(401)') as string,
    })
    expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { test: boolean }).test)).toEqual([
      true,
      true,
    ])
    expect(log).toEqual([{ id: deliveryId, state: 'delivered', body: receiver.requests[0]!.body }])
    expect(receiver.ids.size).toBe(2)
  })

  test.each<[string, Answer, Partial<Record<Check, Verdict>>, RegExp]>([
    [
      'that accepts whatever comes does not verify',
      () => 200,
      { accepts: 'good', refuses: 'warning' },
      /Does not verify signatures.*\(200\)/,
    ],
    [
      'that refuses whatever comes is told what may be wrong',
      () => 401,
      { redirect: 'good', accepts: 'bad', refuses: 'unseen' },
      /Returned 401 .*expected 200 to 299.*current secret/,
    ],
    ['that is not there', () => 404, { accepts: 'bad' }, /Returned 404 .*Check the path/],
    [
      'that leads on is not followed',
      (_request, response) => void response.writeHead(307, { location: 'https://b.example/hooks' }).end(),
      { redirect: 'bad', accepts: 'unseen', refuses: 'unseen' },
      /Redirects to https:\/\/b\.example\/hooks \(307\)/,
    ],
    [
      'that breaks off',
      (_request, response) => void response.destroy(),
      { answer: 'bad', redirect: 'unseen', accepts: 'unseen' },
      /The connection was closed before an answer came\./,
    ],
    [
      'that breaks off when it verifies',
      ({ attempt, step }, response) => (step === 1 && attempt === 1 ? 200 : void response.destroy()),
      { accepts: 'good', refuses: 'warning' },
      /invalid signature got no complete response: the connection was closed/,
    ],
  ])('%s', async (_what, answer, verdicts, said) => {
    const receiver = await listen(answer)
    const found = await examined(receiver.url)
    expect(found.verdicts).toMatchObject({ address: 'good', ...verdicts })
    expect(Object.values(found.texts).join('\n')).toMatch(said)
    expect(receiver.requests).toHaveLength(verdicts.accepts === 'good' ? 2 : 1)
    expect(found.log).toMatchObject([
      { id: found.deliveryId, state: verdicts.accepts === 'good' ? 'delivered' : 'failed' },
    ])
  })

  test('that does not respond in time', async () => {
    const receiver = await listen(() => {})
    const { verdicts, texts } = await examined(receiver.url, { timeoutMs: 300 })
    expect(verdicts).toMatchObject({ ...unreached, address: 'good', answer: 'bad' })
    expect(texts.answer).toBe(
      'No complete answer within 300 ms. A complete response must arrive within 0.3 seconds.',
    )
  })

  test('that refuses or ignores connections gets nothing, and nothing is logged', async () => {
    const mute = createServer(() => {}).listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const { port } = mute.address() as AddressInfo
    for (const [url, said] of [
      [`http://127.0.0.1:${await freePort()}/`, 'The connection was refused.'],
      [`https://127.0.0.1:${port}/`, 'No connection within 300 ms.'],
    ] as const) {
      const { verdicts, texts, deliveryId, log } = await examined(url, { timeoutMs: 300 })
      expect(verdicts).toMatchObject({ ...unreached, address: 'good', answer: 'bad' })
      expect(texts.answer).toContain(said)
      expect({ deliveryId, log }).toEqual({ deliveryId: null, log: [] })
    }
    mute.close()
  })

  test.each<[string, Resolve, string]>([
    ['that leads inwards', async () => ['10.20.30.40'], 'The address leads outside the public internet.'],
    [
      'of which one of several addresses leads inwards',
      async () => ['127.0.0.1', '10.20.30.40'],
      'The address leads outside the public internet.',
    ],
    [
      'whose name is nowhere',
      async () => {
        throw new Error('ENOTFOUND 10.20.30.40')
      },
      'The name does not resolve.',
    ],
  ])('%s gets nothing, and its target is not revealed', async (_what, resolve, said) => {
    const receiver = await listen()
    const { verdicts, texts, log } = await examined(`http://hooks.example.test:${receiver.port}/`, {
      resolve,
    })
    expect(verdicts).toEqual({ ...unreached, address: 'bad', certificate: 'info' })
    expect(texts.address).toContain(said)
    expect(Object.values(texts).join()).not.toContain('10.20')
    expect({ log, requests: receiver.requests }).toEqual({ log: [], requests: [] })
  })

  test('that is internal itself gets nothing', async () => {
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/latest', 'https://[fd00::1]/']) {
      expect(await examined(url)).toMatchObject({ verdicts: { ...unreached, address: 'bad' }, log: [] })
    }
  })

  test('that is not set is skipped', async () => {
    const safeFetch = keep(makeSafeFetch({ allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }, toLoopback))
    const partnerId = await makeReceivingPartner(db, { create: 'https://a.example/' })
    expect(
      await examine(
        db,
        { partnerId, kind: 'update' },
        { safeFetch, encryptionKey, timeoutMs: 1000, retry: { scheduleMs: [0], throttleMs: 0 } },
      ),
    ).toBeUndefined()
  })
})

describe('a certificate', () => {
  const trusted = getCACertificates('default')
  afterAll(() => setDefaultCACertificates(trusted))

  const hostname = 'hooks.example.test'
  const dayMs = 24 * 60 * 60 * 1000

  /** Returns the findings for a receiver whose certificate expires in this many days. */
  async function examinedTls(days: number, { isTrusted = true, name = hostname } = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const cert = makeCertificate({
      hostname: name,
      privateKey,
      publicKey,
      from: new Date(Date.now() - 60 * dayMs),
      until: new Date(Date.now() + days * dayMs),
    })
    setDefaultCACertificates(isTrusted ? [...trusted, cert] : trusted)
    const receiver = await listen(() => 200, {
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      cert,
    })
    const found = await examined(`https://${hostname}:${receiver.port}/`, { prepare: verifyAt(receiver) })
    return { ...found, requests: receiver.requests.length }
  }

  test('that is valid for long is good', async () => {
    const { verdicts, texts } = await examinedTls(90.5)
    expect(verdicts).toEqual({
      address: 'good',
      certificate: 'good',
      answer: 'good',
      redirect: 'good',
      accepts: 'good',
      refuses: 'good',
    })
    expect(texts.certificate).toBe('Valid for 90 more days.')
  })

  test('that expires soon is a warning, and other checks continue', async () => {
    const { verdicts, texts } = await examinedTls(5.5)
    expect(verdicts).toMatchObject({ certificate: 'warning', accepts: 'good', refuses: 'good' })
    expect(texts.certificate).toBe(
      'Valid for 5 more days. Renew it in time: without a valid certificate nothing is sent.',
    )
  })

  test.each([
    ['has ended', -1, {}, 'The certificate is not valid: expired.'],
    ['nobody knows', 90, { isTrusted: false }, 'The certificate is not valid: self-signed.'],
    [
      'is of another name',
      90,
      { name: 'other.example.test' },
      'The certificate is not valid: wrong host name.',
    ],
  ])('that %s is bad, and nothing is sent', async (_what, days, options, said) => {
    const { verdicts, texts, requests, log } = await examinedTls(days, options)
    expect(verdicts).toEqual({ ...unreached, address: 'good', certificate: 'bad' })
    expect(texts.certificate).toContain(said)
    expect({ requests, log }).toEqual({ requests: 0, log: [] })
  })
})

/** Returns a length in DER: one byte, or the number of bytes that follow. */
function derLength(length: number): number[] {
  if (length < 128) return [length]
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
}

/** Returns a self-signed certificate (RFC 5280), as PEM. */
function makeCertificate({
  hostname,
  privateKey,
  publicKey,
  from,
  until,
}: {
  hostname: string
  privateKey: KeyObject
  publicKey: KeyObject
  from: Date
  until: Date
}): string {
  const der = (tag: number, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts)
    return Buffer.concat([Buffer.from([tag, ...derLength(content.length)]), content])
  }
  const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
  const id = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
  const utcTime = (at: Date) =>
    der(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
  const ecdsaWithSha256 = sequence(id('2a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(id('550403'), der(0x0c, Buffer.from(hostname)))))
  const alternativeName = sequence(id('551d11'), der(0x04, sequence(der(0x82, Buffer.from(hostname)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeName)),
  )
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)))
  return `-----BEGIN CERTIFICATE-----\n${whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')}\n-----END CERTIFICATE-----\n`
}
