import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'

/** The one table from what went wrong to the status that says so. */
export const statusOf = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof statusOf

/** A request that is refused, in words that may be shown to whoever sent it. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** What is wrong with each field, such as `size: must be at most 25`. */
  readonly errors: string[] | null
  /** Headers that go with the answer. */
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    details: { errors?: string[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.code = code
    this.errors = details.errors ?? null
    this.headers = details.headers ?? {}
  }
}

/** Returns what is not there, or not the asker's: the two read the same. */
export const notFound = (what: string) => new Refusal('NOT_FOUND', `${what} not found`)

export const unavailable = () =>
  new Refusal('SERVICE_UNAVAILABLE', 'The service cannot answer at the moment; try again shortly', {
    headers: { 'Retry-After': '2' },
  })

/** `1 minute`, `14 minutes`: how long to wait for so many seconds to be over. */
export function minutesText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** Returns what was tried too often, and may be tried again in so many seconds. */
export const tooMany = (message: string, retryAfterS: number) =>
  new Refusal('TOO_MANY_REQUESTS', `${message}; try again in ${minutesText(retryAfterS)}`, {
    headers: { 'Retry-After': String(retryAfterS) },
  })

const invalid = (errors: string[]) => new Refusal('BAD_REQUEST', 'The request is not valid', { errors })

/** The most lines that an error answer has. */
const linesMax = 20

/** One line an issue, led by the field it is about; of very many the first, and how many more there are. */
export function describeIssues({ issues }: ZodError): string[] {
  const listed = issues.length > linesMax ? issues.slice(0, linesMax - 1) : issues
  const lines = listed.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  return listed === issues ? lines : [...lines, `and ${issues.length - listed.length} more`]
}

/** What tRPC calls otherwise than we do. */
const ofTrpc: Record<string, ErrorCode> = {
  METHOD_NOT_SUPPORTED: 'METHOD_NOT_ALLOWED',
  PARSE_ERROR: 'BAD_REQUEST',
}

/**
 * Whatever was thrown, as the refusal that the client gets. What nobody foresaw becomes a 500 that says nothing more,
 * and the failures of a database that is away, stopping or overloaded a 503.
 */
export function toRefusal(error: unknown): Refusal {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 6; cause = cause.cause, depth++) {
    if (cause instanceof Refusal) return cause
    if (cause instanceof ZodError) return invalid(describeIssues(cause))
    if (isDatabaseAway(cause)) return unavailable()
  }
  if (error instanceof TRPCError) {
    const code = ofTrpc[error.code] ?? error.code
    if (code in statusOf && statusOf[code as ErrorCode] < 500)
      return new Refusal(code as ErrorCode, 'The request is not valid')
  }
  return new Refusal('INTERNAL_SERVER_ERROR', 'Something went wrong on our side')
}

// Class 08: connection exception; 53: insufficient resources; 57014: statement time-out; 57P: stopping or starting;
// 25P03: idle in a transaction for too long (PostgreSQL documentation, appendix A).
const databaseAway = /^(?:(?:08|53)\w\w\w|57014|25P03|57P\d\d)$/

// The driver's codes and the socket's.
const connectionLost =
  /^(?:CONNECTION_|ECONN)|^(?:CONNECT_TIMEOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/

function isDatabaseAway(error: Error): boolean {
  return (
    'code' in error &&
    typeof error.code === 'string' &&
    (databaseAway.test(error.code) || connectionLost.test(error.code))
  )
}

/**
 * Returns what went wrong at the bottom of it, for the log: what an error was wrapped in may quote a whole
 * query and its values.
 */
export function causeOf(error: unknown): string {
  let cause = error
  for (let depth = 0; cause instanceof Error && cause.cause !== undefined && depth < 6; depth++)
    cause = cause.cause
  return cause instanceof Error ? cause.message : String(cause)
}
