import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'

/** The only mapping from error codes to HTTP status codes. */
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

/**
 * Returns a base class for errors that `instanceof` recognizes by a mark, because the server process and the
 * pages' bundle load separate copies of a class.
 */
export function markedError(name: string) {
  const mark = Symbol.for(`partnerDeals.${name}`)
  return class extends Error {
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof Error && mark in value
    }

    constructor(message?: string, options?: ErrorOptions) {
      super(message, options)
      Object.defineProperty(this, mark, { value: true })
    }
  }
}

/** A rejected request. The message may be shown to the client. */
export class ApiError extends markedError('ApiError') {
  readonly code: ErrorCode
  /** Problems by field, such as `size: must be at most 25`. */
  readonly errors: string[] | null
  /** Response headers. */
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    details: { errors?: string[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.code = code
    this.errors = details.errors ?? null
    this.headers = { ...(code === 'SERVICE_UNAVAILABLE' && { 'Retry-After': '2' }), ...details.headers }
  }
}

/** Returns the error for something that does not exist or is not visible to the caller. */
export const notFound = (what: string) => new ApiError('NOT_FOUND', `${what} not found`)

/**
 * Returns the error for a method that a path does not support. `allow` is the value of the `Allow` header.
 */
export const methodNotAllowed = (allow: string) =>
  new ApiError('METHOD_NOT_ALLOWED', 'The method is not allowed here', { headers: { Allow: allow } })

export const unavailable = () =>
  new ApiError('SERVICE_UNAVAILABLE', 'The service cannot answer at the moment; try again shortly')

/** Returns a waiting time in minutes as text, such as `1 minute` or `14 minutes`. */
export function minutesText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** Returns the error for too many attempts, with the number of seconds until the next attempt is allowed. */
export const tooMany = (message: string, retryAfterS: number) =>
  new ApiError('TOO_MANY_REQUESTS', `${message}; try again in ${minutesText(retryAfterS)}`, {
    headers: { 'Retry-After': String(retryAfterS) },
  })

const invalid = (errors: string[]) => new ApiError('BAD_REQUEST', 'The request is not valid', { errors })

/** Maximum number of lines in an error response. */
const linesMax = 20

/**
 * Returns one line per issue, starting with the field. After 20 lines, adds the number of remaining issues.
 */
export function describeIssues({ issues }: ZodError): string[] {
  const listed = issues.length > linesMax ? issues.slice(0, linesMax - 1) : issues
  const lines = listed.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  return listed === issues ? lines : [...lines, `and ${issues.length - listed.length} more`]
}

/** Error codes that tRPC calls by another name. */
const ofTrpc: Record<string, ErrorCode> = {
  METHOD_NOT_SUPPORTED: 'METHOD_NOT_ALLOWED',
  PARSE_ERROR: 'BAD_REQUEST',
}

/**
 * Returns the error to send to the client: 503 if the database is temporarily unavailable, and 500 for
 * unexpected errors.
 */
export function toApiError(error: unknown): ApiError {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 6; cause = cause.cause, depth++) {
    if (cause instanceof ApiError) return cause
    if (cause instanceof ZodError) return invalid(describeIssues(cause))
    if (codeOf(cause) === readOnly)
      return new ApiError(
        'SERVICE_UNAVAILABLE',
        'The service accepts no changes at the moment; try again shortly',
      )
    if (isDatabaseAway(cause)) return unavailable()
  }
  if (error instanceof TRPCError) {
    const code = ofTrpc[error.code] ?? error.code
    if (code in statusOf && statusOf[code as ErrorCode] < 500)
      return new ApiError(code as ErrorCode, 'The request is not valid')
  }
  return new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side')
}

// Classes 08 (connection exception) and 53 (insufficient resources), and the codes 57014 (statement timeout),
// 57P.. (stopping or starting), and 25P03 (idle in a transaction for too long). See the PostgreSQL
// documentation, appendix A.
const databaseAway = /^(?:(?:08|53)\w\w\w|57014|25P03|57P\d\d)$/

// Error codes of the driver, followed by codes of sockets in general.
const driverLost = /^(?:CONNECTION_\w+|CONNECT_TIMEOUT)$/
const socketLost = /^(?:ECONN\w+|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/

/** Returns true if the driver attached a statement to the error, which it does when a statement fails. */
const isOfStatement = (error: object) => 'query' in error && 'parameters' in error

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Returns true if the database is temporarily unavailable. Errors of other connections do not count. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return false
  if (databaseAway.test(code) || driverLost.test(code)) return true
  // While the database is stopped, the file of its Unix socket does not exist.
  const isUnconnected = (error as NodeJS.ErrnoException).syscall === 'connect'
  return (isUnconnected || socketLost.test(code)) && isOfStatement(error as Error)
}

/** PostgreSQL's error code for writing on a standby or in a read-only transaction. */
export const readOnly = '25006'

/** Advice for the operator, by error code. */
const databaseAdvice: Record<string, string> = {
  [readOnly]:
    'the database is read-only: it is a standby, or default_transaction_read_only is on (DATABASE_URL)',
  '53300': 'the database is out of connections: raise its max_connections, or put PgBouncer in front of it',
  CONNECTION_NO_PRIMARY: 'none of the hosts in DATABASE_URL accepts writes: no standby was promoted yet',
}

// Matches class names shortened by the pages' bundler.
const shortenedName = /^\w{0,3}$/

/**
 * Returns the code or name of an error for logging, such as `CONNECT_TIMEOUT` or `TypeError`. Never returns
 * its message.
 */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  let root: Error = error
  for (let depth = 0; root.cause instanceof Error && depth < 6; depth++) root = root.cause
  return codeOf(root) ?? (shortenedName.test(root.name) ? 'Error' : root.name)
}

function rootOf(error: unknown): unknown {
  let cause = error
  for (let depth = 0; cause instanceof Error && cause.cause !== undefined && depth < 6; depth++)
    cause = cause.cause
  return cause
}

/** Returns a message for the operator if the database is read-only or out of connections, or null. */
export const databaseProblem = (error: unknown): string | null =>
  databaseAdvice[codeOf(rootOf(error)) ?? ''] ?? null

/**
 * Returns the message of the root cause for logging, because messages of wrapping errors may quote a query
 * and its values.
 */
export function causeOf(error: unknown): string {
  const cause = rootOf(error)
  return databaseProblem(cause) ?? (cause instanceof Error ? cause.message : String(cause))
}
