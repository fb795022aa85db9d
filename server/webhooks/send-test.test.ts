import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '#db/free-port.ts'
import { closeAfterEach, encryptionKey, openQueue } from '#e2e/dispatchers.ts'
import { listenLocally } from '#e2e/loopback.ts'
import { type Answer, type Receiver, verified } from '#e2e/receiver.ts'
import { dealFields } from '../deals/deal.ts'
import { DealEvent } from '../deals/wire.ts'
import { parseCidrs } from '../net/ip-address.ts'
import type { Check, Verdict } from './diagnosis.ts'
import { makeSafeFetch } from './safe-fetch.ts'
import { readSecrets } from './secret-store.ts'
import { examine, renderTest } from './send-test.ts'
import { readEndpoint } from './store.ts'

test.each([
  ['deal.created', 0],
  ['deal.updated', 1],
] as const)('a test %s has the documented format, no deal, and no place in the sequence', (type, changes) => {
  const event = JSON.parse(renderTest(type, new Date('2026-03-01T17:20:05Z'))) as Record<string, object>
  // A test event is not related to any source.
  expect(Object.keys(event)).toEqual(
    Object.keys(DealEvent.shape).filter((key) => key !== 'asOf' && key !== 'filter'),
  )
  expect(Object.keys(event['data']!)).toEqual(Object.keys(dealFields))
  expect(event).toMatchObject({
    type,
    timestamp: '2026-03-01T17:20:05.000Z',
    sequence: 0,
    data: { id: 0 },
    test: true,
  })
  expect(event['changes']).toHaveLength(changes)
})

const { keep, listen } = closeAfterEach()
const { db, makePartner } = await openQueue()

/** Returns the results of checking a new partner's URL, by check. */
async function examined(
  url: string,
  {
    timeoutMs = 20_000,
    prepare = async () => {},
  }: { timeoutMs?: number; prepare?: (secret: string) => Promise<void> | void } = {},
) {
  const safeFetch = keep(
    makeSafeFetch({ allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }, async () => ['127.0.0.1']),
  )
  const partnerId = await makePartner({ create: url })
  await prepare((await readSecrets(db, partnerId, encryptionKey))[0]!.secret)
  const means = { safeFetch, encryptionKey, timeoutMs, retry: { scheduleMs: [0], throttleMs: 0 } }
  const { findings, deliveryId } = await examine(
    db,
    partnerId,
    (await readEndpoint(db, partnerId, 'create'))!,
    means,
  )
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

/** Makes the receiver accept only requests signed with the secret, as a partner's system would. */
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

test('an endpoint that verifies signatures passes every check, with a logged test and an unlogged forgery', async () => {
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
    'accepts every signature',
    () => 200,
    { accepts: 'good', refuses: 'warning' },
    /Does not verify signatures.*\(200\)/,
  ],
  [
    'closes the connection',
    (_request, response) => void response.destroy(),
    { answer: 'bad', redirect: 'unseen', accepts: 'unseen' },
    /The connection was closed before an answer came\./,
  ],
  [
    'closes the connection for an invalid signature',
    ({ attempt, step }, response) => (step === 1 && attempt === 1 ? 200 : void response.destroy()),
    { accepts: 'good', refuses: 'warning' },
    /invalid signature got no complete response: the connection was closed/,
  ],
])('reports an endpoint that %s', async (_what, answer, verdicts, message) => {
  const receiver = await listen(answer)
  const found = await examined(receiver.url)
  expect(found.verdicts).toMatchObject({ address: 'good', ...verdicts })
  expect(Object.values(found.texts).join('\n')).toMatch(message)
  expect(receiver.requests).toHaveLength(verdicts.accepts === 'good' ? 2 : 1)
  expect(found.log).toMatchObject([
    { id: found.deliveryId, state: verdicts.accepts === 'good' ? 'delivered' : 'failed' },
  ])
})

test('an endpoint that refuses or ignores connections gets no request, and nothing is logged', async () => {
  const { port, close } = await listenLocally(createServer(() => {}))
  for (const [url, message] of [
    [`http://127.0.0.1:${await freePort()}/`, 'The connection was refused.'],
    [`https://127.0.0.1:${port}/`, 'No connection within 300 ms.'],
  ] as const) {
    const { verdicts, texts, deliveryId, log } = await examined(url, { timeoutMs: 300 })
    expect(verdicts).toMatchObject({ ...unreached, address: 'good', answer: 'bad' })
    expect(texts.answer).toContain(message)
    expect({ deliveryId, log }).toEqual({ deliveryId: null, log: [] })
  }
  await close()
})
