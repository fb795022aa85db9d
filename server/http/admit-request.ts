import type { IncomingMessage, ServerResponse } from 'node:http'
import { callerOfClient, callerOfSession } from '../access/caller.ts'
import { clientOf } from '../access/client.ts'
import type { Session } from '../accounts/session-store.ts'
import { cookieNames } from '../accounts/sign-in/cookie-name.ts'
import { hashText } from '../accounts/user.ts'
import type { Caller } from '../protocol/admission.ts'
import { Refusal, unavailable } from '../protocol/errors.ts'
import type { Shares } from '../protocol/shares.ts'
import { RequestWork, withinWork } from '../protocol/slots.ts'
import type { Services } from '../runtime/services.ts'
import { isSaturated } from './load.ts'

/** The part of an `Exchange` that admission needs. */
interface Admitting {
  work: RequestWork | null
  /** Whether the response has ended or its client has left. */
  readonly isClosed: boolean
}

/**
 * Does the work of a request in a slot of its caller, and gives the slot back when the work has ended. What it asks of the
 * database is admitted for the same caller.
 * @throws Refusal 503 when too much of the caller waits, or its slot does not come in time
 */
export async function admitRequest<T>(
  { admission: { requests } }: Pick<Services, 'admission'>,
  exchange: Admitting,
  caller: Caller,
  waitMaxMs: number,
  run: (release: () => void) => Promise<T>,
): Promise<T> {
  // While the event loop lags, each caller has one request at a time.
  if (isSaturated() && requests.runningOf(caller) > 0) throw unavailable()
  const { ready, release } = requests.acquire(caller, false, { waitMaxMs })
  if (ready !== undefined) await ready
  const work = new RequestWork(caller)
  exchange.work = work
  try {
    // The client may have left while it waited.
    if (exchange.isClosed) throw unavailable()
    return await withinWork(work, () => run(release))
  } finally {
    work.end()
    release()
  }
}

/** Does work that a reader may prolong, which takes no slot; what it asks of the database is admitted for its client. */
export async function withinClient<T>(
  exchange: Admitting,
  request: IncomingMessage,
  run: () => Promise<T>,
): Promise<T> {
  const work = new RequestWork(callerOfClient(clientOf(request)))
  exchange.work = work
  try {
    return await withinWork(work, run)
  } finally {
    work.end()
  }
}

const tooManyBodies = {
  ofMember: () =>
    new Refusal('TOO_MANY_REQUESTS', 'Too many requests are being sent at once', {
      headers: { 'Retry-After': '5' },
    }),
  ofAll: unavailable,
}

/**
 * Receives a body, which takes no slot however slowly it arrives.
 * @throws Refusal 429 when the caller sends too many at once, 503 when too many others do
 */
export async function receiveBody<T>(bodies: Shares, caller: Caller, receive: () => Promise<T>): Promise<T> {
  const giveBack = bodies.take(caller, tooManyBodies)
  try {
    return await receive()
  } finally {
    giveBack()
  }
}

/** Who asks for a page. */
interface PageCaller {
  caller: Caller
  session: Session | undefined
}

/** Returns who asks for a page: the user of its session, else its client. */
export async function callerOfPage(services: Services, request: IncomingMessage): Promise<PageCaller> {
  const token = cookieOf(request, cookieNames(services.config).sessionToken)
  // Without the database the page says so itself.
  const session =
    token === undefined ? undefined : await services.sessions.find(hashText(token)).catch(() => undefined)
  return {
    session,
    caller: session === undefined ? callerOfClient(clientOf(request)) : callerOfSession(session),
  }
}

/** Returns the value of a cookie. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find((each) => each.trim().startsWith(`${name}=`))
  return pair?.trim().slice(name.length + 1)
}

/**
 * Waits until the body of a request has arrived, and leaves it to be read by whoever reads it next.
 * @throws Refusal 400 when it ends early
 */
export async function untilArrived(request: IncomingMessage): Promise<void> {
  const length = Number(request.headers['content-length'] ?? 0)
  const chunks: Buffer[] = []
  let arrived = 0
  while (arrived < length) {
    const chunk = request.read() as Buffer | null
    if (chunk === null) await untilReadable(request)
    else arrived += chunks[chunks.push(chunk) - 1]!.length
  }
  // Put back in the same turn of the event loop, before the stream can end for want of content.
  if (arrived > 0) request.unshift(Buffer.concat(chunks))
}

function untilReadable(request: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => () => {
      request.off('readable', readable).off('end', ended).off('close', ended).off('error', ended)
      end()
    }
    const readable = settle(resolve)
    const ended = settle(() => reject(new Refusal('BAD_REQUEST', 'The request ended early')))
    request.on('readable', readable).on('end', ended).on('close', ended).on('error', ended)
    if (request.destroyed) ended()
  })
}

/** Calls `behind` when the reader of a response falls behind what is written, which may then wait for it. */
export function whenReaderIsBehind(response: ServerResponse, behind: () => void): void {
  const { write } = response
  response.write = ((...given: Parameters<typeof write>) => {
    const isTaken = write.apply(response, given)
    if (!isTaken) behind()
    return isTaken
  }) as typeof write
}
