'use client'

import { CloudOff, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { formatCount, formatCountOf, formatInstant } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { expiryHorizonDays } from '#server/health/policy.ts'
import { formatBounded, formatShare, formatElapsed } from './labels.ts'
import { TroubledEndpoints } from './troubled-endpoints.tsx'

const refreshMs = 10_000

/** Shows the health of the database, workers, queue and traffic. Refreshes itself, and keeps the last figures when that fails. */
export function HealthPage() {
  const {
    data: health,
    error,
    refetch,
  } = trpc.health.read.useQuery(undefined, {
    refetchInterval: refreshMs,
    // Fails without a connection instead of waiting for one.
    networkMode: 'always',
  })
  if (health === undefined) {
    return error === null ? (
      <p role="status" className="text-ink-soft">
        Loading…
      </p>
    ) : (
      <Notice
        icon={CloudOff}
        level={1}
        title="Could not load health"
        action={
          <button type="button" onClick={() => refetch()} className={button.primary}>
            Try again
          </button>
        }
      >
        {error.data?.code === 'SERVICE_UNAVAILABLE'
          ? 'The database is not responding. This page loads once it is back.'
          : failureMessage(error)}
      </Notice>
    )
  }
  const { version, readAt, countMax, database, workers, queue, attempts, requests, expiringTokens } = health
  const nowMs = readAt.getTime()
  const read = <time dateTime={readAt.toISOString()}>{readAt.toISOString().slice(11, 19)} UTC</time>
  return (
    <>
      <PageHead title="Health" about={<>Updated {read} · refreshes every 10 s</>} />
      <div role="alert" className="empty:hidden">
        {error !== null && (
          <Warning>
            {error.data?.code === 'SERVICE_UNAVAILABLE'
              ? 'The database is not responding.'
              : failureMessage(error)}{' '}
            Figures are from {read}.
          </Warning>
        )}
        {workers.length === 0 && (
          <Warning>
            No worker is running; webhooks are paused. Events are recorded and sent once a worker runs. Start
            one with “npm run worker”, or start the server without WORKER=off.
          </Warning>
        )}
      </div>
      <Panel title="Database" about="PostgreSQL status.">
        <Figures
          figures={[
            [
              'Response time',
              `${database.answerMs.toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`,
            ],
            ['Version', `PostgreSQL ${database.version}`],
            ['Size', formatBytes(database.sizeBytes)],
            [
              'Connections',
              `${formatCount(database.connections)} of ${formatCount(database.connectionsMax)}`,
            ],
          ]}
        />
      </Panel>
      <Panel title="Workers" about="Processes that send webhooks. Each sends a heartbeat every 10 seconds.">
        {workers.length === 0 ? (
          <p className="text-bad">No heartbeat for 30 seconds.</p>
        ) : (
          <ul aria-label="Workers" className="space-y-1.5">
            {workers.map(({ id, startedAt }) => (
              <li key={id}>
                Running since {formatInstant(startedAt.toISOString())}{' '}
                <span className="text-ink-soft">({formatElapsed(nowMs - startedAt.getTime())})</span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Queue" about="Webhook deliveries waiting to be sent.">
        <Figures
          figures={[
            ['Waiting', formatBounded(queue.waiting, countMax)],
            ['Due now', formatBounded(queue.due, countMax)],
            [
              'Oldest due',
              queue.oldestDueAt === null
                ? 'None'
                : `${formatElapsed(nowMs - queue.oldestDueAt.getTime())} overdue`,
            ],
            ['For switched-off endpoints', formatBounded(queue.held, countMax)],
          ]}
        />
      </Panel>
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
      </Panel>
      <Panel title="Endpoint status" about="Failing and switched-off webhook endpoints of all partners.">
        <TroubledEndpoints health={health} />
      </Panel>
      <Panel title="Tokens" about={`Expiring within ${expiryHorizonDays} days, no replacement.`}>
        <p>
          {expiringTokens === 0
            ? 'No tokens expire soon.'
            : `${formatCountOf(expiringTokens, 'token')} ${expiringTokens === 1 ? 'expires' : 'expire'} soon.`}{' '}
          <Link href="/tokens" className="underline">
            View tokens
          </Link>
        </p>
      </Panel>
      <Panel title="Version" about="The running release.">
        <Figures
          figures={[
            ['Partner Deals', version],
            ['Database migration', String(database.migration).padStart(4, '0')],
          ]}
        />
      </Panel>
    </>
  )
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="mb-4 flex gap-2 rounded-lg bg-bad-soft px-3 py-2.5 text-pretty text-bad">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </p>
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
