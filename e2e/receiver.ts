import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { listenLocally } from './loopback.ts'

/** A request that a partner's system received for a delivery. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  /** Value of the `webhook-id` header. */
  id: string
  body: string
  sequence: number
  dealId: string
  /** Number of requests with the same ID so far, including this one. */
  attempt: number
  /** Position among all requests and responses of the receiver, and the time in milliseconds. */
  step: number
  at: number
  /** Position of the 2xx response; null if there is none. */
  acceptedStep: number | null
}

/**
 * Returns the status of the response, now or later, or undefined if the function responds itself or not at
 * all.
 */
export type Answer = (request: Received, response: ServerResponse) => number | void | Promise<number | void>

/** A partner's system with its own socket. */
export interface Receiver {
  /** URL without a trailing slash. */
  url: string
  port: number
  /** All requests in order of arrival. */
  requests: Received[]
  /** Requests with a 2xx response, in order of the responses. */
  accepted: Received[]
  /** IDs of all requests. */
  ids: Set<string>
  answer: Answer
  /** Stops accepting connections. */
  close(): Promise<void>
}

/** Starts a receiver on loopback. */
export async function startReceiver(answer: Answer = () => 200): Promise<Receiver> {
  let steps = 0
  const attempts = new Map<string, number>()
  const server = createServer()
  server.on('request', async (request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    // Reading fails if the sender is killed.
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
      // Kept as text, because numbers beyond 2^53 lose digits.
      dealId: /"data":\{"id":(\d+)/.exec(body)?.[1] ?? '',
      attempt: (attempts.get(id) ?? 0) + 1,
      step: ++steps,
      at,
      acceptedStep: null,
    }
    attempts.set(id, received.attempt)
    receiver.requests.push(received)
    receiver.ids.add(id)
    const status = await receiver.answer(received, response)
    if (typeof status !== 'number') return
    // Recorded before the response is sent, so that the response's effects come later. A closed connection
    // gets no response.
    if (status >= 200 && status < 300 && !request.socket.destroyed) {
      received.acceptedStep = ++steps
      receiver.accepted.push(received)
    }
    response.writeHead(status).end('taken')
  })
  const { url, port, close } = await listenLocally(server)
  const receiver: Receiver = {
    url,
    port,
    requests: [],
    accepted: [],
    ids: new Set(),
    answer,
    close,
  }
  return receiver
}

/** Verifies a request's signature like a partner's system would. Returns the parsed content. */
export function verified(secret: string, { body, headers }: Received): any {
  return new Webhook(secret).verify(body, headers as Record<string, string>)
}

/** Returns the sequence numbers of all accepted events in order, without duplicates. */
export function acceptedSequences({ accepted }: Receiver): number[] {
  return [...new Set(accepted.map(({ sequence }) => sequence))].toSorted((a, b) => a - b)
}

/** Returns requests that arrived before an earlier event of the same deal was accepted. */
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

/** Returns repeated requests, each with the first request of the same ID. */
export function repeated({ requests }: Receiver): [first: Received, again: Received][] {
  return [...Map.groupBy(requests, ({ id }) => id).values()].flatMap(([first, ...more]) =>
    more.map((again): [Received, Received] => [first!, again]),
  )
}
