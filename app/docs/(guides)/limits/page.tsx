import type { Metadata } from 'next'
import { formatCount } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { Command } from '../../code-block.tsx'
import { curl } from '../../curl.ts'
import { Facts } from '../../facts.tsx'
import { Guide } from '../../guide.tsx'
import { formatWait } from '../../wait.ts'

export const metadata: Metadata = { title: 'Limits' }

export default function LimitsPage() {
  const { rateLimitPerMinute, fileUrlTtlS, eventRetentionDays, webhookTimeoutMs } = sharedServices().config
  return (
    <Guide
      href="/docs/limits"
      title="Limits"
      lead="How much, how often and how long, as this installation is set up."
    >
      <Facts
        rows={[
          [
            'Requests',
            rateLimitPerMinute === 0
              ? 'no limit'
              : `${formatCount(rateLimitPerMinute)} a minute for each token, ${formatCount(3 * rateLimitPerMinute)} for all tokens of a partner together`,
          ],
          [
            <>
              Deals of a page, <code>size</code>
            </>,
            '1 to 25; 10 when not given',
          ],
          [
            <>
              Number of a page, <code>page</code>
            </>,
            '1 to 2147483647; past the end the list of deals is empty',
          ],
          [
            <>
              Events of an answer, <code>limit</code>
            </>,
            '1 to 100; 25 when not given',
          ],
          ['Events are kept', `${eventRetentionDays} days`],
          ['Deals of a comparison', '1,000; more go in chunks'],
          ['Body of a request', '1 MiB'],
          ['Address of a file', `works for ${formatWait(fileUrlTtlS * 1000)}`],
          ['Answer to a webhook', `within ${formatWait(webhookTimeoutMs)}`],
          ['Webhook address', '2,048 characters, without user name and #'],
        ]}
      />
      <h2>How much is left</h2>
      {rateLimitPerMinute === 0 ? (
        <p>
          Requests are not counted here. Another installation may, and then says so in headers that begin with{' '}
          <code>X-RateLimit-</code>.
        </p>
      ) : (
        <>
          <p>
            Each response says what is left of the token&rsquo;s minute, or of the partner&rsquo;s when that
            is less, and in how many seconds the next one begins.
          </p>
          <Command
            text={curl('/api/deals?size=1', '-I')}
            answer={`HTTP/1.1 200 OK\n…\nX-RateLimit-Limit: ${rateLimitPerMinute}\nX-RateLimit-Remaining: ${rateLimitPerMinute - 1}\nX-RateLimit-Reset: 60\n…`}
          />
          <p>
            Past it comes a 429 with <code>Retry-After</code>. Wait for so many seconds; asking meanwhile does
            not help.
          </p>
        </>
      )}
      <h2>Less to carry</h2>
      <p>
        Answers are compressed for whoever sends <code>Accept-Encoding: gzip</code> or <code>zstd</code>; curl
        does with <code>--compressed</code>. While nothing has changed, an{' '}
        <Link href="/docs/walking">ETag</Link> spares you the body.
      </p>
      <h2>What may change</h2>
      <p>
        This is version 1.0, and nothing in it is taken away or given another meaning. Fields, operations and
        types of events may be added, so let your program pass over what it does not know. The stages of a
        deal are free text and can change at any time.
      </p>
    </Guide>
  )
}
