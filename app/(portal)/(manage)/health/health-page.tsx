'use client'

import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { PageHead } from '#app/ui/page-head.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { SystemHealth } from './health.ts'
import { Hours } from './hours.tsx'
import {
  DatabasePanel,
  QueuePanel,
  TokensPanel,
  TrafficPanel,
  VersionPanel,
  WorkersPanel,
} from './panels.tsx'
import { TroubledEndpoints } from './troubled-endpoints.tsx'
import { AllWell } from './verdict.tsx'

const refreshMs = 10_000

/** Shows the health of the database, workers, queue and traffic. Refreshes itself, and keeps the last figures when that fails. */
export function HealthPage() {
  const query = trpc.health.read.useQuery(undefined, {
    refetchInterval: refreshMs,
    // Fails without a connection instead of waiting for one.
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

/** Shows the figures, and why the last refresh failed. */
function Report({
  health,
  error,
}: {
  health: SystemHealth
  error: Parameters<typeof isDatabaseDown>[0] | null
}) {
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
      <DatabasePanel health={health} />
      <WorkersPanel health={health} />
      <QueuePanel health={health} />
      <TrafficPanel health={health} />
      <Panel title="Endpoint status" about="Failing and switched-off webhook endpoints of all partners.">
        <TroubledEndpoints health={health} />
      </Panel>
      <TokensPanel health={health} />
      <VersionPanel health={health} />
    </>
  )
}

const isDatabaseDown = ({ data }: { data?: { code: string } | null | undefined }) =>
  data?.code === 'SERVICE_UNAVAILABLE'

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
