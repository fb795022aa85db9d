import { once } from 'node:events'
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { Webhook } from 'standardwebhooks'
import { freePort } from '#db/free-port.ts'

/** One request of a delivery, as received by a partner's system. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** The `webhook-id`. */
  id: string
  body: string
  sequence: number
  dealId: string
  /** Its number among the requests with this id, from 1. */
  attempt: number
  /** Its position among all requests and responses of this receiver, and the time in milliseconds. */
  step: number
  at: number
  /** The position of its 2xx response, or null. */
  acceptedStep: number | null
}

/** Returns the status to respond with, at any time; nothing if it responds itself or not at all. */
export type Answer = (request: Received, response: ServerResponse) => number | void | Promise<number | void>

/** A partner's system, with its own socket. */
export interface Receiver {
  /** Its URL, without a trailing slash. */
  url: string
  port: number
  /** In order of arrival. */
  requests: Received[]
  /** Those with a 2xx response, in response order. */
  accepted: Received[]
  /** The ids of all requests. */
  ids: Set<string>
  answer: Answer
  /** Stops accepting connections. */
  close(): Promise<void>
  /** Listens again, on the same port. */
  reopen(): Promise<void>
}

/** Returns a receiver that listens on loopback; with `tls`, over https. */
export async function startReceiver(
  answer: Answer = () => 200,
  tls?: { key: string; cert: string },
): Promise<Receiver> {
  let steps = 0
  const server = tls === undefined ? createServer() : createTlsServer(tls)
  server.on('request', async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    // A killed sender breaks off.
    const whole = await Array.fromAsync(request, (chunk: Buffer) => void chunks.push(chunk)).then(
      () => true,
      () => false,
    )
    if (!whole) return
    const body = Buffer.concat(chunks).toString()
    const id = request.headers['webhook-id'] as string
    const received: Received = {
      path: request.url!,
      headers: request.headers,
      id,
      body,
      sequence: Number(/"sequence":(\d+)/.exec(body)?.[1]),
      // As text, because numbers beyond 2^53 lose digits.
      dealId: /"data":\{"id":(\d+)/.exec(body)?.[1] ?? '',
      attempt: 1 + receiver.requests.filter((each) => each.id === id).length,
      step: ++steps,
      at,
      acceptedStep: null,
    }
    receiver.requests.push(received)
    receiver.ids.add(id)
    const status = await receiver.answer(received, response)
    if (typeof status !== 'number') return
    // Before the response is sent: its effects come later. A sender that is gone gets none.
    if (status >= 200 && status < 300 && !request.socket.destroyed) {
      received.acceptedStep = ++steps
      receiver.accepted.push(received)
    }
    response.writeHead(status).end('taken')
  })
  const listen = async (port: number) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  }
  const port = await freePort()
  await listen(port)
  const receiver: Receiver = {
    url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}`,
    port,
    requests: [],
    accepted: [],
    ids: new Set(),
    answer,
    async close() {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
    },
    reopen: () => listen(port),
  }
  return receiver
}

/** Returns a request's content after checking its signature like a partner's system. */
export function verified(secret: string, { body, headers }: Received): any {
  return new Webhook(secret).verify(body, headers as Record<string, string>)
}

/** Returns the sequences of all accepted events, in order, each once. */
export function acceptedSequences({ accepted }: Receiver): number[] {
  return [...new Set(accepted.map(({ sequence }) => sequence))].toSorted((a, b) => a - b)
}

/** Requests that arrived before an earlier event of their deal was accepted. */
export function outOfOrder({ requests }: Receiver): Received[] {
  const firstAccepted = new Map<number, number>()
  for (const { sequence, acceptedStep } of requests) {
    if (acceptedStep !== null)
      firstAccepted.set(sequence, Math.min(acceptedStep, firstAccepted.get(sequence) ?? Infinity))
  }
  return [...Map.groupBy(requests, ({ dealId }) => dealId).values()].flatMap((ofDeal) =>
    ofDeal.filter(({ sequence, step }) =>
      ofDeal.some((earlier) => earlier.sequence < sequence && !(firstAccepted.get(earlier.sequence)! < step)),
    ),
  )
}

/** Repeated requests, with the first one of the same id. */
export function repeated({ requests }: Receiver): [first: Received, again: Received][] {
  return [...Map.groupBy(requests, ({ id }) => id).values()].flatMap(([first, ...more]) =>
    more.map((again): [Received, Received] => [first!, again]),
  )
}
