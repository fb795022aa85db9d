import { type ErrorCode, statusOf } from '#server/errors.ts'
import { bodyMaxBytes } from '#server/http/policy.ts'
import { formatLimit } from '#server/values/units.ts'

const meanings = {
  BAD_REQUEST: 'The request is not valid; errors says why. Do not send it again unchanged.',
  UNAUTHORIZED: 'The token is missing, unknown, revoked or expired. This is checked before anything else.',
  FORBIDDEN: 'The token lacks the scope, or the URL of a file was altered or has expired.',
  NOT_FOUND: 'It does not exist, or belongs to someone else; both look the same.',
  METHOD_NOT_ALLOWED: 'The path does not support this method. Allow lists those it does.',
  REQUEST_TIMEOUT: 'The request came too slowly. Send it again.',
  GONE: 'The requested events are no longer kept. Read all pages again.',
  PAYLOAD_TOO_LARGE: `The body is larger than ${formatLimit(bodyMaxBytes)}.`,
  UNSUPPORTED_MEDIA_TYPE: 'The Content-Type of the body is not JSON.',
  TOO_MANY_REQUESTS: 'The rate limit is used up. Wait for the seconds in Retry-After.',
  INTERNAL_SERVER_ERROR: 'Something went wrong on our side. Retry later, and tell us the X-Request-Id.',
  SERVICE_UNAVAILABLE: 'We cannot respond right now. Wait for the seconds in Retry-After.',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Lists the error codes that partners' programs can get, with their HTTP statuses. */
export function ErrorTable() {
  return (
    <dl className="my-5 border-b border-line text-sm/6">
      {Object.entries(meanings).map(([code, meaning]) => (
        <div
          key={code}
          className="gap-6 border-t border-line py-2 sm:grid sm:grid-cols-[17rem_minmax(0,1fr)]"
        >
          <dt className="font-medium">
            {statusOf[code as ErrorCode]} <code>{code}</code>
          </dt>
          <dd className="text-ink-soft">{meaning}</dd>
        </div>
      ))}
    </dl>
  )
}
