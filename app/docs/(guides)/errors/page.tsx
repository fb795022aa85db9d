import type { Metadata } from 'next'
import { type ErrorCode, statusOf } from '#server/protocol/errors.ts'
import { sharedServices } from '#server/runtime/services.ts'
import { Command } from '../../code-block.tsx'
import { curl } from '../../curl.ts'
import { Facts } from '../../facts.tsx'
import { Guide } from '../../guide.tsx'

export const metadata: Metadata = { title: 'Errors' }

const meanings = {
  BAD_REQUEST: 'Something in the request is not valid. The errors name it; the same request fails again.',
  UNAUTHORIZED:
    'There is no token, or it is unknown, revoked or expired. This is checked before anything else.',
  FORBIDDEN: 'The token lacks the scope, or the address of a file was altered or is too old.',
  NOT_FOUND: 'There is no such thing, or it is not yours: the two read the same.',
  METHOD_NOT_ALLOWED: 'The path has no such method. Allow lists those it has.',
  REQUEST_TIMEOUT: 'The request came too slowly. Send it again.',
  GONE: 'The events that you ask for are no longer kept. Walk the pages again.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not said to be JSON.',
  TOO_MANY_REQUESTS: 'The token has used up its minute. Wait for the seconds in Retry-After.',
  INTERNAL_SERVER_ERROR: 'Something went wrong on our side. Try again later, and tell us the X-Request-Id.',
  SERVICE_UNAVAILABLE: 'We cannot answer at the moment. Wait for the seconds in Retry-After.',
} as const satisfies Partial<Record<ErrorCode, string>>

export default function ErrorsPage() {
  return (
    <Guide
      href="/docs/errors"
      title="Errors"
      lead="Every refusal has the same three keys, and a status that says whether to try again."
    >
      <p>
        <code>code</code> is for your program, <code>message</code> for people. <code>errors</code> says what
        is wrong with each field, or is null. Go by the status and <code>code</code>: the words may change.
      </p>
      <Command
        text={curl('/api/deals?size=26')}
        answer={
          '{\n  "code": "BAD_REQUEST",\n  "message": "The request is not valid",\n  "errors": ["size: must be at most 25"]\n}'
        }
      />
      <p>
        Nothing is set right in silence: a <code>size</code> of 26 is refused, not cut to 25. What does not
        exist is a 404:
      </p>
      <Command
        text={curl('/api/deals/1')}
        answer={'{ "code": "NOT_FOUND", "message": "Deal not found", "errors": null }'}
      />
      <p>And without a token:</p>
      <Command
        text={`curl -i "${sharedServices().config.publicUrl}/api/deals"`}
        answer={
          'HTTP/1.1 401 Unauthorized\n…\nWWW-Authenticate: Bearer\n…\n{ "code": "UNAUTHORIZED", "message": "A bearer token is required", "errors": null }'
        }
      />
      <h2>All of them</h2>
      <Facts
        rows={Object.entries(meanings).map(([code, meaning]) => [
          <>
            {statusOf[code as ErrorCode]} <code>{code}</code>
          </>,
          meaning,
        ])}
      />
      <h2>Try again</h2>
      <p>
        408, 429, 500 and 503 pass: try again after <code>Retry-After</code>, or after a second, then two,
        then four. All others stay as they are until the request changes. Reading, comparing and setting
        addresses can be repeated without harm.
      </p>
      <p>
        Every answer names its <code>X-Request-Id</code>. Keep it in your log: with it we find the request in
        ours.
      </p>
    </Guide>
  )
}
