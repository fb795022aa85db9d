import type { IncomingMessage, ServerResponse } from 'node:http'
import { callerOfClient, callerOfSession } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import type { Session } from '../accounts/session-store.ts'
import { cookieNames } from '../accounts/sign-in/cookies.ts'
import { hashText } from '../accounts/user.ts'
import type { Caller, Shares } from '../admission/admission.ts'
import { withTimeout } from '../admission/scheduling.ts'
import { RequestWork, withinWork } from '../admission/slots.ts'
import { ApiError, unavailable } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { secondMs } from '../values/units.ts'
import { isSaturated } from './load.ts'

/** The part of `RequestContext` that admission uses. */
interface Admitting {
  work: RequestWork
  /** True if the response has ended or the client has disconnected. */
  readonly isClosed: boolean
}

/**
 * Runs a request in a slot of its caller; the request's database statements take slots too.
 * @throws ApiError 503 if too much of the caller's work is waiting, or no slot is free in time
 */
export async function admitRequest<T>(
  { admission: { requests } }: Pick<Services, 'admission'>,
  context: Admitting,
  caller: Caller,
  waitMaxMs: number,
  run: (release: () => void) => Promise<T>,
): Promise<T> {
  // While the event loop lags, each caller may run one request at a time.
  if (isSaturated() && requests.runningOf(caller) > 0) throw unavailable()
  const { ready, release } = requests.acquire(caller, false, { waitMaxMs })
  if (ready !== undefined) await ready
  const work = new RequestWork(caller)
  context.work = work
  try {
    // The client may have disconnected while the request was waiting.
    if (context.isClosed) throw unavailable()
    return await withinWork(work, () => run(release))
  } finally {
    work.end()
    // Releases the slot in the next turn of the event loop. Otherwise all waiting requests that are served
    // from memory would run in this turn, before any other work.
    setImmediate(release)
  }
}

/**
 * Runs work whose duration depends on the client. Only the work's database statements occupy slots of the
 * caller.
 */
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
 * Receives a body without occupying a slot, because the client may send slowly.
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

/** Maximum time to wait for the session of a page's user. */
const sessionWaitMs = 10 * secondMs

/**
 * Returns the session of a page request, and the caller that the request counts against.
 * @throws ApiError 503 if the database does not respond
 */
export async function callerOfPage(
  services: Services,
  request: IncomingMessage,
): Promise<{ caller: Caller; session: Session | undefined }> {
  // If the database rejects the query, the page itself shows the error.
  const reading = sessionOfRequest(services, request).catch(() => undefined)
  const session = await withTimeout(reading, sessionWaitMs, () => null)
  if (session === null) throw unavailable()
  return {
    session,
    caller: session === undefined ? callerOfClient(clientOf(request)) : callerOfSession(session),
  }
}

/** Returns the session of a browser's request, or undefined if there is none. */
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
 * Waits until the request body has been received, without reading it, because Next.js rejects a stream that
 * someone else has read from. The body must fit into the stream's buffer (64 KiB).
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

/** Calls `behind` when the response is being written faster than the client reads. */
export function whenReaderIsBehind(response: ServerResponse, behind: () => void): void {
  const { write } = response
  response.write = ((...args: Parameters<typeof write>) => {
    const isFlushed = write.apply(response, args)
    if (!isFlushed) behind()
    return isFlushed
  }) as typeof write
}
