import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'

/** The only table from error codes to HTTP status codes. */
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

/** A rejected request; its message may be shown to the client. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** The problem of each field, such as `size: must be at most 25`. */
  readonly errors: string[] | null
  /** Headers of the response. */
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

/** Returns the error for something that does not exist or is not the caller's: both read the same. */
export const notFound = (what: string) => new Refusal('NOT_FOUND', `${what} not found`)

export const unavailable = () =>
  new Refusal('SERVICE_UNAVAILABLE', 'The service cannot answer at the moment; try again shortly', {
    headers: { 'Retry-After': '2' },
  })

/** Returns seconds as a waiting time, such as `1 minute` or `14 minutes`. */
export function minutesText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** Returns the error for too many attempts, with the seconds until the next one is allowed. */
export const tooMany = (message: string, retryAfterS: number) =>
  new Refusal('TOO_MANY_REQUESTS', `${message}; try again in ${minutesText(retryAfterS)}`, {
    headers: { 'Retry-After': String(retryAfterS) },
  })

const invalid = (errors: string[]) => new Refusal('BAD_REQUEST', 'The request is not valid', { errors })

/** The most lines in an error response. */
const linesMax = 20

/**
 * Returns one line per issue, beginning with its field; of very many the first ones, and how many more there
 * are.
 */
export function describeIssues({ issues }: ZodError): string[] {
  const listed = issues.length > linesMax ? issues.slice(0, linesMax - 1) : issues
  const lines = listed.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  return listed === issues ? lines : [...lines, `and ${issues.length - listed.length} more`]
}

/** Codes that have another name in tRPC. */
const ofTrpc: Record<string, ErrorCode> = {
  METHOD_NOT_SUPPORTED: 'METHOD_NOT_ALLOWED',
  PARSE_ERROR: 'BAD_REQUEST',
}

/**
 * Returns the error that the client sees for anything thrown. An unexpected error becomes a 500 without
 * details; a database that is down, stopping or overloaded becomes a 503.
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

// Class 08: connection exception; 53: insufficient resources; 57014: statement time-out; 57P: stopping or
// starting;
// 25P03: idle in a transaction for too long (PostgreSQL documentation, appendix A).
const databaseAway = /^(?:(?:08|53)\w\w\w|57014|25P03|57P\d\d)$/

// Codes of the driver and of the socket.
const connectionLost =
  /^(?:CONNECTION_|ECONN)|^(?:CONNECT_TIMEOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/

function isDatabaseAway(error: Error): boolean {
  return (
    'code' in error &&
    typeof error.code === 'string' &&
    (databaseAway.test(error.code) || connectionLost.test(error.code))
  )
}

/** Returns the root cause for the log; the wrapping error may quote a whole query and its values. */
export function causeOf(error: unknown): string {
  let cause = error
  for (let depth = 0; cause instanceof Error && cause.cause !== undefined && depth < 6; depth++)
    cause = cause.cause
  return cause instanceof Error ? cause.message : String(cause)
}
