'use client'

import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListTable } from '#app/ui/list.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { expiryHorizonDays } from '#server/health/policy.ts'
import { formatSpan, secondMs } from '#server/values/units.ts'
import { switchOffAfterMs } from '#server/webhooks/policy.ts'
import { answerText, healthLabels, endpointLabel } from '../webhooks/labels.ts'
import {
  type SystemHealth,
  type VerdictHealth,
  admissionText,
  backupText,
  dayFigures,
  formatBounded,
  formatElapsed,
  mailServerText,
  replicaText,
  verdictText,
} from './labels.ts'

const refreshMs = 10_000

/**
 * Shows the health of the database, workers, queue and traffic. Refreshes automatically and keeps showing the
 * previous figures when a refresh fails.
 */
export function HealthPage() {
  const query = trpc.health.read.useQuery(undefined, {
    refetchInterval: refreshMs,
    // When offline, fail immediately instead of waiting for a connection.
    networkMode: 'always',
  })
  return (
    <QueryState
      what="health"
      level={1}
      query={query}
      data={query.data}
      message={(error) =>
        isDatabaseDown(error)
          ? 'The database is not responding. This page loads once it is back.'
          : failureMessage(error)
      }
    >
      {(health) => <Report health={health} error={query.error} />}
    </QueryState>
  )
}

/** Shows the figures and, if the last refresh failed, the reason. */
function Report({ health, error }: { health: SystemHealth; error: Failure | null }) {
  const { expiringTokens, version, database } = health
  return (
    <>
      <PageHead
        title="Health"
        about={
          <>
            Updated <ReadTime at={health.readAt} /> · refreshes every 10 s
          </>
        }
      />
      <div role="alert" className="empty:hidden">
        {error !== null && (
          <Warning>
            {isDatabaseDown(error) ? 'The database is not responding.' : failureMessage(error)} Figures are
            from <ReadTime at={health.readAt} />.
          </Warning>
        )}
        {health.workers.length === 0 && (
          <Warning>
            No worker is running; webhooks are paused. Events are recorded and sent once a worker runs. Start
            one with “npm run worker”, or start the server without WORKER=off.
          </Warning>
        )}
      </div>
      <AllWell health={health} />
      <Hours health={health} />
      <Services health={health} />
      <Deliveries health={health} />
      <Jobs health={health} />
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

interface Failure {
  data?: { code: string } | null | undefined
}

const isDatabaseDown = ({ data }: Failure) => data?.code === 'SERVICE_UNAVAILABLE'

function ReadTime({ at }: { at: Date }) {
  const { formatClock } = useFormat()
  return <time dateTime={at.toISOString()}>{formatClock(at, 'second')}</time>
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="mb-4 flex gap-2 rounded-lg bg-bad-soft px-3 py-2.5 text-pretty text-bad">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </p>
  )
}

/** Summarizes the health in one sentence. */
function AllWell({ health }: { health: VerdictHealth }) {
  const isWell = health.troubles.length === 0
  const Icon = isWell ? CircleCheck : TriangleAlert
  return (
    <p className="mb-6 flex items-center gap-3 rounded-xl border border-line bg-surface p-5 text-base font-semibold sm:px-6">
      <Icon aria-hidden="true" className={`size-5 shrink-0 ${isWell ? 'text-good' : 'text-bad'}`} />
      {verdictText(health)}
    </p>
  )
}

/** Shows the status of the database, the disk, the last backup and the mail server. */
function Services({ health }: { health: SystemHealth }) {
  const { database, replica, admission, disk, mailServer } = health
  const { answerMs, version, sizeBytes, connections, connectionsMax } = database
  return (
    <>
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
      <Panel title="Disk, backup and mail" about="The data directory, the last backup and the mail server.">
        <Figures
          figures={[
            ['Free disk space', `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.sizeBytes)}`],
            ['Last backup', backupText(health)],
            ['Mail server', mailServerText(mailServer)],
          ]}
        />
      </Panel>
    </>
  )
}

/** Shows the running workers and the deliveries in the queue. */
function Deliveries({ health: { workers, queue, countMax, readAt } }: { health: SystemHealth }) {
  const { formatInstant } = useFormat()
  const { waiting, due, oldestDueAt, held } = queue
  return (
    <>
      <Panel title="Workers" about="Processes that send webhooks. Each sends a heartbeat every 10 seconds.">
        {workers.length === 0 ? (
          <p className="text-bad">No heartbeat for 30 seconds.</p>
        ) : (
          <ul aria-label="Workers" className="space-y-1.5">
            {workers.map(({ id, startedAt }) => (
              <li key={id}>
                Running since {formatInstant(startedAt)}{' '}
                <span className="text-ink-soft">
                  ({formatElapsed(readAt.getTime() - startedAt.getTime())})
                </span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Queue" about="Deliveries waiting for their first attempt or a retry.">
        <Figures
          figures={[
            ['Pending', formatBounded(waiting, countMax)],
            ['Due now', formatBounded(due, countMax)],
            [
              'Oldest due',
              oldestDueAt === null ? 'None' : overdueText(readAt.getTime() - oldestDueAt.getTime()),
            ],
            ['For switched-off endpoints', formatBounded(held, countMax)],
          ]}
        />
      </Panel>
    </>
  )
}

const overdueText = (ms: number) => `${formatElapsed(ms)} overdue`

function Jobs({ health: { jobs } }: { health: SystemHealth }) {
  return (
    <Panel
      title="Jobs"
      about="Background work. “operator jobs list” shows failed jobs; they can be retried or discarded."
    >
      {jobs.length === 0 ? (
        <p>No jobs are waiting.</p>
      ) : (
        <ListTable
          label="Jobs"
          keyOf={({ kind }) => kind}
          rows={jobs}
          columns={[
            { title: 'Kind', cell: ({ kind }) => kind },
            { title: 'Waiting', cell: ({ waiting }) => formatCount(waiting) },
            {
              title: 'Oldest due',
              cell: ({ oldestDueS }) => (oldestDueS === null ? 'None' : overdueText(oldestDueS * secondMs)),
            },
            { title: 'Failing', cell: ({ failing }) => formatCount(failing) },
            {
              title: 'Dead',
              cell: ({ dead }) => (dead === 0 ? '0' : <Badge tone="bad">{formatCount(dead)}</Badge>),
            },
          ]}
        />
      )}
    </Panel>
  )
}

function Figures({ figures }: { figures: [label: string, value: string][] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt className="text-ink-soft">{label}</dt>
          <dd className="font-medium tabular-nums wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const reasons = {
  gone: 'Switched off: returned 410',
  failing: `Switched off: failed for ${formatSpan(switchOffAfterMs)}`,
  suspended: 'Paused: partner suspended',
}

/** Shows the endpoints that are failing or disabled. */
function TroubledEndpoints({ health: { endpoints, hasMoreEndpoints, readAt } }: { health: SystemHealth }) {
  if (endpoints.length === 0) return <p>No failing webhooks.</p>
  return (
    <>
      <ListTable
        label="Endpoint status"
        keyOf={({ partner, kind }) => `${partner.slug} ${kind}`}
        rows={endpoints}
        columns={[
          { title: 'Partner', cell: ({ partner }) => partner.name },
          { title: 'Endpoint', cell: ({ kind, name }) => endpointLabel(kind, name) },
          {
            title: 'Status',
            cell: ({ because, health: { state } }) => (
              <Badge tone={healthLabels[state].tone}>
                {because === null ? healthLabels[state].label : reasons[because]}
              </Badge>
            ),
          },
          {
            title: 'Last response',
            cell: ({ health: { answer } }) => (answer === null ? 'Unknown' : answerText(answer)),
          },
          { title: 'Since', cell: ({ health: { since } }) => <When at={since!} nowMs={readAt.getTime()} /> },
        ]}
      />
      {hasMoreEndpoints && <p className="mt-3 text-ink-soft">Showing the oldest.</p>}
    </>
  )
}

/** Shows the activity and lag of the last 24 hours. */
function Hours({ health }: { health: SystemHealth }) {
  return (
    <section aria-labelledby="last-hours" className="mb-6">
      <h2 id="last-hours" className="mb-3 font-semibold">
        Last 24 hours
      </h2>
      <ul className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-3">
        {dayFigures(health).map(({ title, value, hint, href }) => (
          <li key={title} className="rounded-xl border border-line bg-surface px-4 py-4 sm:px-5">
            <h3 className="text-ink-soft">
              <Link href={href} className="rounded hover:underline">
                {title}
              </Link>
            </h3>
            <p className="mt-1 text-xl font-semibold tracking-tight tabular-nums sm:text-2xl">{value}</p>
            <p className="text-ink-soft tabular-nums">{hint}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
