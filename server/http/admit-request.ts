import type { IncomingMessage, ServerResponse } from 'node:http'
import { callerOfClient, callerOfSession } from '../access/caller.ts'
import { clientOf } from '../access/client.ts'
import type { Session } from '../accounts/session-store.ts'
import { cookieNames } from '../accounts/sign-in/cookie-name.ts'
import { hashText } from '../accounts/user.ts'
import type { Caller } from '../admission/admission.ts'
import type { Shares } from '../admission/shares.ts'
import { RequestWork, withinWork } from '../admission/slots.ts'
import { withTimeout } from '../admission/with-timeout.ts'
import { ApiError, unavailable } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { secondMs } from '../values/units.ts'
import { isSaturated } from './load.ts'

/** The part of a `RequestContext` that admission needs. */
interface Admitting {
  work: RequestWork
  /** Whether the response has ended or its client has left. */
  readonly isClosed: boolean
}

/**
 * Runs a request and its database statements in slots of its caller.
 * @throws ApiError 503 if too much of the caller's work is waiting, or no slot is free in time
 */
export async function admitRequest<T>(
  { admission: { requests } }: Pick<Services, 'admission'>,
  context: Admitting,
  caller: Caller,
  waitMaxMs: number,
  run: (release: () => void) => Promise<T>,
): Promise<T> {
  // While the event loop lags, each caller has one request at a time.
  if (isSaturated() && requests.runningOf(caller) > 0) throw unavailable()
  const { ready, release } = requests.acquire(caller, false, { waitMaxMs })
  if (ready !== undefined) await ready
  const work = new RequestWork(caller)
  context.work = work
  try {
    // The client may have left while it waited.
    if (context.isClosed) throw unavailable()
    return await withinWork(work, () => run(release))
  } finally {
    work.end()
    // In the next turn of the event loop: otherwise requests served from memory would all run in this turn, while
    // everything else waits.
    setImmediate(release)
  }
}

/** Runs work whose duration the client controls: only its database statements take slots of the caller. */
export async function withinCaller<T>(context: Admitting, caller: Caller, run: () => Promise<T>): Promise<T> {
  const work = new RequestWork(caller)
  context.work = work
  try {
    return await withinWork(work, run)
  } finally {
    work.end()
  }
}

const tooManyBodies = {
  ofMember: () =>
    new ApiError('TOO_MANY_REQUESTS', 'Too many requests are being sent at the same time', {
      headers: { 'Retry-After': '5' },
    }),
  ofAll: unavailable,
}

/**
 * Receives a body without taking a slot, because its sender may be slow.
 * @throws ApiError 429 if the caller sends too many bodies at the same time, 503 if all callers do
 */
export async function receiveBody<T>(bodies: Shares, caller: Caller, receive: () => Promise<T>): Promise<T> {
  const release = bodies.take(caller, tooManyBodies)
  try {
    return await receive()
  } finally {
    release()
  }
}

/** How long a page waits for its session. */
const sessionWaitMs = 10 * secondMs

/** Returns the session of a page and its caller. @throws ApiError 503 if the database does not respond */
export async function callerOfPage(
  services: Services,
  request: IncomingMessage,
): Promise<{ caller: Caller; session: Session | undefined }> {
  // Without a database connection, the page shows the error itself.
  const reading = sessionOfRequest(services, request).catch(() => undefined)
  const session = await withTimeout(reading, sessionWaitMs, () => null)
  if (session === null) throw unavailable()
  return {
    session,
    caller: session === undefined ? callerOfClient(clientOf(request)) : callerOfSession(session),
  }
}

/** Returns the session of a browser's request, or undefined. */
export async function sessionOfRequest(
  { config, sessions }: Services,
  request: IncomingMessage,
): Promise<Session | undefined> {
  const token = cookieOf(request, cookieNames(config).sessionToken)
  return token === undefined ? undefined : sessions.find(hashText(token))
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find((text) => text.trim().startsWith(`${name}=`))
  return pair?.trim().slice(name.length + 1)
}

/**
 * Waits until the request body has been received, without reading it: Next rejects a stream that was read from. The body
 * must fit the buffer of the stream (64 KiB).
 * @throws ApiError 400 if the body ends early
 */
export function untilArrived(request: IncomingMessage): Promise<void> {
  const length = Number(request.headers['content-length'] ?? 0)
  return new Promise((resolve, reject) => {
    const isComplete = () => request.readableLength >= length
    if (isComplete()) return resolve()
    const settle = () => {
      request.off('readable', check).off('end', check).off('close', check).off('error', check)
      if (isComplete()) resolve()
      else reject(new ApiError('BAD_REQUEST', 'The request ended early'))
    }
    const check = () => {
      if (isComplete() || request.destroyed || request.readableEnded) settle()
    }
    request.on('readable', check).on('end', check).on('close', check).on('error', check)
    check()
  })
}

/** Calls `behind` when a client reads the response more slowly than it is written. */
export function whenReaderIsBehind(response: ServerResponse, behind: () => void): void {
  const { write } = response
  response.write = ((...args: Parameters<typeof write>) => {
    const isFlushed = write.apply(response, args)
    if (!isFlushed) behind()
    return isFlushed
  }) as typeof write
}
