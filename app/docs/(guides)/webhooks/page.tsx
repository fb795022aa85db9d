import type { Metadata } from 'next'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { CodeBlock, Command } from '../../code-block.tsx'
import { curlJson } from '../../curl.ts'
import { Guide } from '../../guide.tsx'
import { formatWait } from '../../wait.ts'

export const metadata: Metadata = { title: 'Webhooks' }

export default function WebhooksPage() {
  const { webhookTimeoutMs, webhookThrottleMs, webhookScheduleMs, webhookAllowHttp } = sharedServices().config
  const waits = webhookScheduleMs.slice(1).map(formatWait)
  return (
    <Guide
      href="/docs/webhooks"
      title="Webhooks"
      lead="Give two addresses, and each event is sent there within moments, signed."
    >
      <h2>Say where</h2>
      <p>
        A deal that becomes visible to you is a <code>deal.created</code> to <code>createURL</code>. A later
        change is a <code>deal.updated</code> to <code>updateURL</code>, unless only <code>lastModified</code>{' '}
        or <code>timeInCurrentStage</code> changed. The two may be the same. It has to be an https address of
        the public internet{webhookAllowHttp && '; this installation takes http as well'}. An address that you
        leave out stays as it is, null clears it.
      </p>
      <Command
        text={curlJson(
          '/api/webhook',
          '{"createURL": "https://crm.example.com/hooks",\n    "updateURL": "https://crm.example.com/hooks"}',
        )}
        answer={
          '{\n  "createURL": "https://crm.example.com/hooks",\n  "updateURL": "https://crm.example.com/hooks"\n}'
        }
      />
      <CodeBlock
        label="What you get"
        text={[
          'POST /hooks HTTP/1.1',
          'Content-Type: application/json',
          'webhook-id: …',
          'webhook-timestamp: 1772385605',
          'webhook-signature: v1,…',
          '',
          '{',
          '  "type": "deal.updated",',
          '  "timestamp": "2026-03-01T17:20:05.000Z",',
          '  "sequence": 1042,',
          '  "data": { "id": 20411000193, "stage": "Permit Submitted", … },',
          '  "changes": [{ "field": "stage", "from": "NTP Review", "to": "Permit Submitted" }]',
          '}',
        ].join('\n')}
      />
      <h2>Verify</h2>
      <p>
        Trust nothing before its signature is checked. It follows{' '}
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a>, for which most languages have a
        library. Your admins find the secret in the portal; it starts with <code>whsec_</code>. Hand over the
        body as it came, byte for byte, not parsed and written again.
      </p>
      <CodeBlock
        label="JavaScript"
        text={
          "import { Webhook } from 'standardwebhooks'\n\n// Throws unless it is from us and less than five minutes old.\nconst event = new Webhook(secret).verify(body, headers)"
        }
      />
      <p>
        By hand: the key is the base64 behind <code>whsec_</code>. Join <code>webhook-id</code>,{' '}
        <code>webhook-timestamp</code> and the body with dots, take the HMAC-SHA256, and compare its base64
        with what stands behind <code>v1,</code> in <code>webhook-signature</code>. Several signatures are
        separated by spaces, and one that fits is enough. Refuse a timestamp that is more than five minutes
        off. A test that an admin sends has <code>&quot;test&quot;: true</code> and the sequence 0.
      </p>
      <h2>Answer</h2>
      <p>
        Any 2xx within {formatWait(webhookTimeoutMs)} says that you have it. Put the event away first and work
        on it later. Redirects are not followed.
      </p>
      <h2>Retries</h2>
      <p>
        Whatever else happens, the event comes again after {waits.join(', ')}, each ±20 %, with the same{' '}
        <code>webhook-id</code>. Keep the ids that you have seen: an event can come twice. A time-out or a 429
        waits {formatWait(webhookThrottleMs)} at least, and <code>Retry-After</code> is honoured up to twice
        the planned wait.
      </p>
      <ul>
        <li>
          When a deal moves to another partner or is removed, events about it that still wait are not sent to
          you. <code>GET /api/events</code> keeps them.
        </li>
        <li>
          410 switches the address off at once, and five days in which everything failed do so too. Your
          admins are told.
        </li>
        <li>Events of an address that is off are kept. Setting the address again sends them.</li>
        <li>
          After the last of these the event is sent no more by itself. It is still in{' '}
          <Link href="/docs/sync">the events</Link>, and your admins can send it again.
        </li>
      </ul>
      <h2>Order</h2>
      <p>
        Events of one deal come to an address in order: the next one waits for the one before it. Different
        deals do not wait for each other, so go by <code>sequence</code> and not by the time of arrival.
      </p>
      <h2>Change the secret</h2>
      <p>
        After an admin has rotated the secret, both the new and the old one sign for 24 hours. Change it in
        your receiver within that time and no event is refused.
      </p>
    </Guide>
  )
}
