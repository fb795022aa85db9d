import { once } from 'node:events'
import { type IncomingMessage, createServer, request as send } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test, vi } from 'vitest'
import { listenLocally } from '#e2e/loopback.ts'
import { requestLimits } from '../access/admission-limits.ts'
import { cookieNames } from '../accounts/sign-in/cookies.ts'
import type { Caller } from '../admission/admission.ts'
import { Slots, RequestWork } from '../admission/slots.ts'
import type { Services } from '../runtime/services.ts'
import { admitRequest, callerOfPage, untilArrived } from './admit-request.ts'

const anonymous: Caller = { kind: 'anonymous', group: 'anonymous', member: '203.0.113.9' }

test('handles other events between requests served from memory', async () => {
  const requests = new Slots(requestLimits)
  const services = { admission: { requests } } as Services
  const order: string[] = []
  setImmediate(() => order.push('others'))
  await Promise.all(
    Array.from({ length: 10 }, () =>
      admitRequest(
        services,
        { work: new RequestWork(anonymous), isClosed: false },
        anonymous,
        1000,
        async () => order.push('work'),
      ),
    ),
  )
  expect(order.indexOf('others')).toBe(requestLimits.anonymous)
  expect(order.filter((each) => each === 'work')).toHaveLength(10)
  await expect.poll(() => requests.running).toBe(0)
})

test('responds to a page with 503 if the database does not return the session within ten seconds', async () => {
  vi.useFakeTimers()
  const config = { publicUrl: 'http://localhost' }
  const services = { config, sessions: { find: () => new Promise(() => {}) } } as unknown as Services
  const cookie = `${cookieNames(config).sessionToken}=x`
  const refused = expect(
    callerOfPage(services, { headers: { cookie } } as IncomingMessage),
  ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await vi.advanceTimersByTimeAsync(10_000)
  await refused
  vi.useRealTimers()
})

const server = createServer()
const { port, close } = await listenLocally(server)
afterAll(close)

/**
 * Sends the first half of a body. Returns the request as seen by the server, and a function that sends the
 * rest.
 */
async function sendSlowly(bytes: number) {
  const arrived = once(server, 'request') as Promise<[IncomingMessage]>
  const headers = { 'content-length': bytes }
  const sent = send({ port, method: 'POST', headers })
  sent.on('error', () => {})
  sent.write('x'.repeat(bytes >> 1))
  const [incoming] = await arrived
  return { incoming, sent, finish: () => sent.end('y'.repeat(bytes - (bytes >> 1))) }
}

test.each([2, 1000, 64 * 1024])(
  'waits for a slot for a body of %i bytes without reading it',
  async (bytes) => {
    const { incoming, sent, finish } = await sendSlowly(bytes)
    let isComplete = false
    const waiting = untilArrived(incoming).then(() => (isComplete = true))
    await new Promise((resolve) => void setImmediate(resolve))
    expect(isComplete).toBe(false)
    finish()
    await waiting
    expect(Readable.isDisturbed(incoming)).toBe(false)
    expect((await text(incoming)).length).toBe(bytes)
    sent.destroy()
  },
)

test('rejects a body whose client disconnects early', async () => {
  const { incoming, sent } = await sendSlowly(1000)
  const waiting = untilArrived(incoming)
  sent.destroy()
  await expect(waiting).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})
