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
import { formatBounded, formatShare, formatSpan } from './labels.ts'
import { Troubled } from './troubled.tsx'

const refreshMs = 10_000

/** How all of it does: the database, what sends webhooks, and what was asked. Reads itself anew, and shows what it has read last. */
export function HealthPage() {
  const {
    data: health,
    error,
    refetch,
  } = trpc.health.read.useQuery(undefined, {
    refetchInterval: refreshMs,
    // Without a connection it fails, and says so.
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
        title="Health cannot be read right now"
        action={
          <button type="button" onClick={() => refetch()} className={button.primary}>
            Try again
          </button>
        }
      >
        {error.data?.code === 'SERVICE_UNAVAILABLE'
          ? 'The database does not answer. Look whether it runs; this page shows more as soon as it does.'
          : failureMessage(error)}
      </Notice>
    )
  }
  const { version, readAt, countMax, database, workers, queue, attempts, requests, expiringTokens } = health
  const nowMs = readAt.getTime()
  const read = <time dateTime={readAt.toISOString()}>{readAt.toISOString().slice(11, 19)} UTC</time>
  return (
    <>
      <PageHead title="Health" about={<>Read at {read}, and anew every 10 seconds.</>} />
      <div role="alert" className="empty:hidden">
        {error !== null && (
          <Warning>
            {error.data?.code === 'SERVICE_UNAVAILABLE'
              ? 'The database does not answer at the moment.'
              : failureMessage(error)}{' '}
            What you see is from {read}.
          </Warning>
        )}
        {workers.length === 0 && (
          <Warning>
            No worker runs: no webhook is sent. Events are kept, and go out as soon as one runs. Start one
            with “npm run worker”, or start the server without WORKER=off.
          </Warning>
        )}
      </div>
      <Panel title="Database" about="What everything is kept in.">
        <Figures
          figures={[
            ['Answers in', `${database.answerMs.toLocaleString('en-US', { maximumFractionDigits: 1 })} ms`],
            ['Version', `PostgreSQL ${database.version}`],
            ['Size', formatBytes(database.sizeBytes)],
            [
              'Connections',
              `${formatCount(database.connections)} of ${formatCount(database.connectionsMax)}`,
            ],
          ]}
        />
      </Panel>
      <Panel
        title="Workers"
        about="The processes that send webhooks. Each gives a sign of life every 10 seconds."
      >
        {workers.length === 0 ? (
          <p className="text-bad">None has given a sign of life for 30 seconds.</p>
        ) : (
          <ul aria-label="Workers" className="space-y-1.5">
            {workers.map(({ id, startedAt }) => (
              <li key={id}>
                Runs since {formatInstant(startedAt.toISOString())}{' '}
                <span className="text-ink-soft">({formatSpan(nowMs - startedAt.getTime())})</span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Queue" about="What is to be sent to webhook addresses.">
        <Figures
          figures={[
            ['Waiting', formatBounded(queue.waiting, countMax)],
            ['Due now', formatBounded(queue.due, countMax)],
            [
              'Oldest due',
              queue.oldestDueAt === null
                ? 'none'
                : `since ${formatSpan(nowMs - queue.oldestDueAt.getTime())}`,
            ],
            ['For addresses that are off', formatBounded(queue.held, countMax)],
          ]}
        />
      </Panel>
      <Panel title="Traffic" about="What was sent to webhook addresses, and asked with tokens.">
        <Figures
          figures={[
            ['Attempts in 5 minutes', formatBounded(attempts.minutes, countMax)],
            ['of these failed', formatShare(attempts.minutesFailed, attempts.minutes)],
            ['Attempts in an hour', formatBounded(attempts.hour, countMax)],
            ['of these failed', formatShare(attempts.hourFailed, attempts.hour)],
            ['Requests today (UTC)', formatCount(requests.requests)],
            ['answered with an error', formatShare(requests.errors, requests.requests)],
          ]}
        />
      </Panel>
      <Panel
        title="Addresses in trouble"
        about="Webhook addresses of all partners that fail, or are switched off."
      >
        <Troubled health={health} />
      </Panel>
      <Panel title="Tokens" about="Those that stop working within 14 days, and have none in their place.">
        <p>
          {expiringTokens === 0
            ? 'No token expires soon.'
            : `${formatCountOf(expiringTokens, 'token')} ${expiringTokens === 1 ? 'expires' : 'expire'} soon.`}{' '}
          <Link href="/tokens" className="underline">
            All tokens
          </Link>
        </p>
      </Panel>
      <Panel title="This version" about="What runs here.">
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
