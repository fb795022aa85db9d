import { randomUUID } from 'node:crypto'
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
  createServer,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { isPublic, peerAddress } from '../access/client.ts'
import { ApiError, methodNotAllowed, statusOf } from '../errors.ts'
import { apiErrorJson } from './answer.ts'
import { connectionsPerAddress, pipelinedMax } from './policy.ts'
import { readerTimeouts } from './streamed.ts'

const headerTimeoutMs = 10_000
/** Maximum time for receiving a request. */
export const requestTimeoutMs = 15_000
const timeoutCheckMs = 1000
// Exceeds the idle timeout of common proxies, so that the proxy closes the connection first.
const keepAliveMs = 65_000
/** How long a client may read the error before the connection is closed. */
const graceMs = 1000

interface ServerOptions {
  /** Returns true if connections from an IP address are counted. Counts public addresses by default. */
  isCounted?: (address: string) => boolean
  /** Maximum time in which a client reads nothing of its response. */
  stalledMs?: number
  /** True if the WebSocket for hot reload is allowed. */
  isDevelopment?: boolean
}

/**
 * Ends a connection without parsing data that was already received, which may contain thousands of requests.
 */
function stopParsing(socket: IncomingMessage['socket']): void {
  socket.destroy()
  // Node's parser passes each request to this function, and stops parsing if the function returns 2.
  const { parser } = socket as { parser?: { onIncoming: () => number } | null }
  if (parser) parser.onIncoming = () => 2
}

/**
 * Returns a listener that ends connections with too many concurrent requests, because all of these would be
 * parsed in one turn of the event loop.
 */
function limitPipelining(listener: RequestListener): RequestListener {
  const underway = new WeakMap<IncomingMessage['socket'], number>()
  return (request, response) => {
    const { socket } = request
    const count = (underway.get(socket) ?? 0) + 1
    if (count > pipelinedMax) return stopParsing(socket)
    underway.set(socket, count)
    response.once('close', () => underway.set(socket, underway.get(socket)! - 1))
    listener(request, response)
  }
}

/** Ends connections that exceed the limit for their IP address. */
function limitConnections(server: Server, isCounted: (address: string) => boolean): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = peerAddress(socket.remoteAddress ?? '')
    if (!isCounted(address)) return
    const count = (open.get(address) ?? 0) + 1
    if (count > connectionsPerAddress) return socket.destroy()
    open.set(address, count)
    socket.once('close', () => {
      const left = open.get(address)! - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  })
}

/** Returns a server that passes valid requests to the listener and disconnects slow clients. */
export function makeServer(
  listener: RequestListener,
  { stalledMs = readerTimeouts.idleMs, isDevelopment = false, isCounted = isPublic }: ServerOptions = {},
): Server {
  const limited = limitPipelining(listener)
  const server = createServer(
    {
      headersTimeout: headerTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckMs,
      keepAliveTimeout: keepAliveMs,
      // Next.js ignores unknown upgrades, whose open sockets would keep the process alive.
      shouldUpgradeCallback: ({ url }) => isDevelopment && url?.startsWith('/_next/hmr') === true,
      // The listener rejects requests without this header, because Node's own response has no body and no
      // request ID.
      requireHostHeader: false,
    },
    limited,
  )
  limitConnections(server, isCounted)
  server.setTimeout(stalledMs)
  // Servers may ignore expectations other than 100-continue (RFC 9110, section 10.1.1).
  server.on('checkExpectation', limited)
  server.on('connect', (_request, socket) => refuseSocket(methodNotAllowed('GET, HEAD, POST'), socket))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else refuseSocket(refusalOfSocket(error), socket)
  })
  return server
}

/** Returns the error for a request that did not arrive in time. */
export const tooSlow = () =>
  new ApiError('REQUEST_TIMEOUT', 'The request did not arrive in time', { headers: { Connection: 'close' } })
/** Returns the error for data that is not HTTP. */
export const notHttp = () => new ApiError('BAD_REQUEST', 'This is not a valid HTTP request')

/** Returns the error for a connection that did not send a valid request. */
function refusalOfSocket({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  return code === 'HPE_HEADER_OVERFLOW'
    ? new ApiError('BAD_REQUEST', 'The header of the request is too large')
    : notHttp()
}

/** Responds on a socket that has no valid request, then closes the socket. */
function refuseSocket(refusal: ApiError, socket: Duplex): void {
  // Node has removed its own error listener. Without a listener, a connection reset would end the process.
  socket.on('error', () => {})
  if (!socket.writable) return void socket.destroy()
  const status = statusOf[refusal.code]
  const body = apiErrorJson(refusal)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': randomUUID(),
    ...refusal.headers,
    Connection: 'close',
  }
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  // Destroys the socket if the client does not close it. The delay lets the client read the response first.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`, () =>
    setTimeout(() => socket.destroy(), graceMs).unref(),
  )
}
