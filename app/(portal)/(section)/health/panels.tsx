import { formatBytes } from '#app/ui/format-bytes.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import { expiryHorizonDays } from '#server/health/policy.ts'
import type { SystemHealth } from './health.ts'
import { admissionText, formatBounded, formatShare, formatElapsed, replicaText } from './labels.ts'
import { Sparkline } from './sparkline.tsx'

/** Shows the status of the database. */
export function DatabasePanel({ health: { database, replica, admission } }: { health: SystemHealth }) {
  const { answerMs, version, sizeBytes, connections, connectionsMax } = database
  return (
    <Panel title="Database" about="PostgreSQL status.">
      <Figures
        figures={[
          ['Response time', `${answerMs.toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`],
          ['Version', `PostgreSQL ${version}`],
          ['Size', formatBytes(sizeBytes)],
          ['Connections', `${formatCount(connections)} of ${formatCount(connectionsMax)}`],
          ...(replica === null ? [] : [['Read replica', replicaText(replica)] as [string, string]]),
        ]}
      />
      <p className="mt-2 text-ink-soft">{admissionText(admission)}</p>
    </Panel>
  )
}

/** Shows the running workers. */
export function WorkersPanel({ health: { workers, readAt } }: { health: SystemHealth }) {
  const { formatInstant } = useFormat()
  return (
    <Panel title="Workers" about="Processes that send webhooks. Each sends a heartbeat every 10 seconds.">
      {workers.length === 0 ? (
        <p className="text-bad">No heartbeat for 30 seconds.</p>
      ) : (
        <ul aria-label="Workers" className="space-y-1.5">
          {workers.map(({ id, startedAt }) => (
            <li key={id}>
              Running since {formatInstant(startedAt)}{' '}
              <span className="text-ink-soft">({formatElapsed(readAt.getTime() - startedAt.getTime())})</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** Shows the deliveries that wait to be sent. */
export function QueuePanel({ health: { queue, countMax, readAt } }: { health: SystemHealth }) {
  const { waiting, due, oldestDueAt, held } = queue
  return (
    <Panel title="Queue" about="Webhook deliveries that wait for their first attempt or for a retry.">
      <Figures
        figures={[
          ['Pending', formatBounded(waiting, countMax)],
          ['Due now', formatBounded(due, countMax)],
          [
            'Oldest due',
            oldestDueAt === null
              ? 'None'
              : `${formatElapsed(readAt.getTime() - oldestDueAt.getTime())} overdue`,
          ],
          ['For switched-off endpoints', formatBounded(held, countMax)],
        ]}
      />
    </Panel>
  )
}

/** Shows the webhook attempts and API requests, and how many failed. */
export function TrafficPanel({
  health: { attempts, attemptSeries, requests, countMax },
}: {
  health: SystemHealth
}) {
  return (
    <Panel title="Traffic" about="Webhook attempts and API requests.">
      <Figures
        figures={[
          ['Attempts, last 5 minutes', formatBounded(attempts.minutes, countMax)],
          ['Failed', formatShare(attempts.minutesFailed, attempts.minutes)],
          ['Attempts, last hour', formatBounded(attempts.hour, countMax)],
          ['Failed', formatShare(attempts.hourFailed, attempts.hour)],
          ['API requests today (UTC)', formatCount(requests.requests)],
          ['Errors', formatShare(requests.errors, requests.requests)],
        ]}
      />
      {attemptSeries.some(({ count }) => count > 0) && (
        <Sparkline
          series={attemptSeries}
          label={`Attempts of the last hour, every 5 minutes: ${attemptSeries.map(({ count }) => count).join(', ')}`}
        />
      )}
    </Panel>
  )
}

/** Shows the number of tokens that expire soon. */
export function TokensPanel({ health: { expiringTokens: count } }: { health: SystemHealth }) {
  return (
    <Panel title="Tokens" about={`Expiring within ${expiryHorizonDays} days, no replacement.`}>
      <p>
        {count === 0
          ? 'No tokens expire soon.'
          : `${formatCountOf(count, 'token')} ${count === 1 ? 'expires' : 'expire'} soon.`}{' '}
        <Link href="/tokens" className="underline">
          View tokens
        </Link>
      </p>
    </Panel>
  )
}

/** Shows the versions of the product and its database schema. */
export function VersionPanel({ health: { version, database } }: { health: SystemHealth }) {
  return (
    <Panel title="Version" about="The running release.">
      <Figures
        figures={[
          ['Partner Deals', version],
          ['Database migration', String(database.migration).padStart(4, '0')],
        ]}
      />
    </Panel>
  )
}

function Figures({ figures }: { figures: [label: string, value: string][] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
      {figures.map(([label, value], index) => (
        <div key={index}>
          <dt className="text-ink-soft">{label}</dt>
          <dd className="font-medium tabular-nums wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
