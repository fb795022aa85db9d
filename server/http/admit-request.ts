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
 * Runs a request in a slot of its caller and releases it at the end. Its database statements are admitted for
 * the same caller.
 * @throws ApiError 503 if too much of the caller's work is waiting, or its slot does not come in time
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
    // In the next turn of the event loop: otherwise requests answered from memory, from as many sockets as
    // have sent one, would follow each other in this turn, while all others wait.
    setImmediate(release)
  }
}

/**
 * Runs work whose duration the client controls, without a slot; its database statements are admitted for the
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
    new ApiError('TOO_MANY_REQUESTS', 'Too many requests are being sent at once', {
      headers: { 'Retry-After': '5' },
    }),
  ofAll: unavailable,
}

/**
 * Receives a body, which takes no slot however slowly it arrives.
 * @throws ApiError 429 if the caller sends too many at once, 503 if too many others do
 */
export async function receiveBody<T>(bodies: Shares, caller: Caller, receive: () => Promise<T>): Promise<T> {
  const release = bodies.take(caller, tooManyBodies)
  try {
    return await receive()
  } finally {
    release()
  }
}

/** The caller of a page. */
interface PageCaller {
  caller: Caller
  session: Session | undefined
}

/** How long a page waits for its session. */
const sessionWaitMs = 10 * secondMs

/**
 * Returns the caller of a page: the session's user, or else the client.
 * @throws ApiError 503 if the database is silent
 */
export async function callerOfPage(services: Services, request: IncomingMessage): Promise<PageCaller> {
  // Without the database, the page shows the error itself.
  const reading = sessionOfRequest(services, request).catch(() => undefined)
  const session = await withTimeout(reading, sessionWaitMs, () => {
    throw unavailable()
  })
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

/** Returns the value of a cookie. */
function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find((each) => each.trim().startsWith(`${name}=`))
  return pair?.trim().slice(name.length + 1)
}

/**
 * Waits until the request body, which must fit its stream's buffer (64 KiB), has been received, without
 * reading it: Next rejects a stream that was read from.
 * @throws ApiError 400 if it ends early
 */
export function untilArrived(request: IncomingMessage): Promise<void> {
  const length = Number(request.headers['content-length'] ?? 0)
  return new Promise((resolve, reject) => {
    const isThere = () => request.readableLength >= length
    if (isThere()) return resolve()
    const settle = () => {
      request.off('readable', check).off('end', check).off('close', check).off('error', check)
      if (isThere()) resolve()
      else reject(new ApiError('BAD_REQUEST', 'The request ended early'))
    }
    const check = () => {
      if (isThere() || request.destroyed || request.readableEnded) settle()
    }
    request.on('readable', check).on('end', check).on('close', check).on('error', check)
    check()
  })
}

/** Calls `behind` when the reader of a response lags behind the writer, which may then wait. */
export function whenReaderIsBehind(response: ServerResponse, behind: () => void): void {
  const { write } = response
  response.write = ((...given: Parameters<typeof write>) => {
    const isTaken = write.apply(response, given)
    if (!isTaken) behind()
    return isTaken
  }) as typeof write
}
