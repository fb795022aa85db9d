import { sharedServices } from '#server/runtime/services.ts'
import { GuideCode } from '../../guide-code.tsx'

/** Explains the rate limit headers, or that this installation has no limit. */
export function RateLimitHeaders() {
  const { rateLimitPerMinute, publicUrl } = sharedServices().config
  if (rateLimitPerMinute === 0) {
    return (
      <p>
        This installation does not count requests. Others may, and then send headers that begin with{' '}
        <code>X-RateLimit-</code>.
      </p>
    )
  }
  return (
    <>
      <p>
        Each response says how many requests the token has left in this minute, or the partner when that is
        less, and in how many seconds the next minute begins.
      </p>
      <GuideCode
        codes={[
          {
            language: 'Shell',
            text: `curl -H "Authorization: Bearer $TOKEN" \\\n  -I \\\n  "${publicUrl}/api/deals?size=1"`,
            answer: [
              'HTTP/1.1 200 OK',
              '…',
              `X-RateLimit-Limit: ${rateLimitPerMinute}`,
              `X-RateLimit-Remaining: ${rateLimitPerMinute - 1}`,
              'X-RateLimit-Reset: 60',
              '…',
            ].join('\n'),
          },
        ]}
      />
      <p>
        Above the limit you get a 429 with <code>Retry-After</code>. Wait that many seconds; requests sent
        before then are rejected too.
      </p>
    </>
  )
}
