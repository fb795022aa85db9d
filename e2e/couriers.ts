import { once } from 'node:events'
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import type { Database } from '#db/client.ts'
import { parseCidrs } from '#server/webhooks/address.ts'
import { type Courier, type CourierOptions, startCourier } from '#server/webhooks/courier.ts'
import type { Resolve } from '#server/webhooks/endpoint.ts'
import { makeSafeFetch } from '#server/webhooks/safe-fetch.ts'

// A courier as tests run it, and a partner's system on a socket that answers whatever it is told to.

/** A request of a delivery. */
export interface Heard {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The `webhook-id`. */
  id: string
  sequence: number
  dealId: string
  /** Which of the requests with this id it is, from 1. */
  attempt: number
  /** In milliseconds of this process. */
  at: number
}

/** Gives the status to answer with; void when it answers by itself, or not at all. */
export type AnswerTo = (heard: Heard, response: ServerResponse) => number | void | Promise<number | void>

/** A partner's system. */
export interface Hearer {
  /** Its address, without a slash at its end. */
  url: string
  port: number
  /** All requests, in the order in which they came. */
  heard: Heard[]
  /** Those that were answered with a 2xx, in the order of the answers. */
  accepted: Heard[]
  close(): Promise<void>
}

/** A receiver on loopback; with `tls` it speaks https. */
export async function startHearer(answer: AnswerTo, tls?: { key: string; cert: string }): Promise<Hearer> {
  const heard: Heard[] = []
  const accepted: Heard[] = []
  const server = tls === undefined ? createServer() : createTlsServer(tls)
  server.on('request', async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    const whole = await Array.fromAsync(request, (chunk: Buffer) => void chunks.push(chunk)).then(() => true, () => false)
    if (!whole) return
    const body = Buffer.concat(chunks).toString()
    const id = request.headers['webhook-id'] as string
    const one: Heard = {
      path: request.url!, headers: request.headers, body, id, sequence: Number(/"sequence":(\d+)/.exec(body)?.[1]), dealId: /"data":\{"id":(\d+)/.exec(body)?.[1] ?? '',
      attempt: 1 + heard.filter((each) => each.id === id).length, at,
    }
    heard.push(one)
    const status = await answer(one, response)
    if (typeof status !== 'number') return
    if (status >= 200 && status < 300) accepted.push(one)
    response.writeHead(status).end('taken')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`, port, heard, accepted,
    async close() {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
    },
  }
}

export const sealingKey = Buffer.alloc(32, 1)

/** A courier whose door leads to loopback. */
export interface TestCourier extends Courier {
  /** Stops it, if it is not yet, and closes its door. */
  close(): Promise<void>
}

/** Starts a courier that waits long for answers and not long between attempts, unless told otherwise. */
export function courierOn(db: Database, { resolve = async () => ['127.0.0.1'], ...options }: Partial<CourierOptions> & { resolve?: Resolve } = {}): TestCourier {
  const safeFetch = makeSafeFetch({ allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }, resolve)
  const courier = startCourier(db, {
    safeFetch, sealingKey, leaseMs: 30_000, failingMs: 1e12, timeoutMs: 20_000, log: pino({ level: 'silent' }),
    retry: { scheduleMs: [0, ...Array<number>(20).fill(100)], throttleMs: 0 }, ...options,
  })
  let stopped: Promise<void> | undefined
  const stop = (graceMs: number) => stopped ??= courier.stop(graceMs)
  return {
    stop,
    async close() {
      await stop(0)
      await safeFetch.close()
    },
  }
}
