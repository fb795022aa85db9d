'use client'

import type { ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import { PageHead } from '#app/ui/page-head.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { When } from '#app/ui/when.tsx'
import { ProgressBar } from '../../imports/progress-bar.tsx'
import { type Source, progressText, roughly, sourceStates } from '../labels.ts'
import { FilesPanel } from './files-panel.tsx'
import { HintSettings } from './hint-settings.tsx'
import { Look, LookActions } from './look.tsx'
import { MappingPanel } from './mapping-panel.tsx'
import { PartnerValues } from './partner-values.tsx'
import { Rejects } from './rejects.tsx'
import { Removals } from './removals.tsx'
import { SourceActions } from './source-actions.tsx'

const refreshMs = 2000

/** Shows a source: how current it is, what waits, and how it is mapped. */
export function SourcePage({ id }: { id: number }) {
  const query = trpc.sources.get.useQuery({ id }, { refetchInterval: refreshMs })
  return (
    <QueryState what="the source" level={1} query={query} data={query.data}>
      {(source) => <SourceParts source={source} nowMs={query.dataUpdatedAt} />}
    </QueryState>
  )
}

function SourceParts({ source, nowMs }: { source: Source; nowMs: number }) {
  const { name, state, problem, failingSince } = source
  const isConnected = source.connectedAt !== null
  return (
    <>
      <PageHead
        title={name}
        about={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={sourceStates[state].tone}>{sourceStates[state].label}</Badge>
            {failingSince !== null && (
              <span>
                Failing since <When at={failingSince} nowMs={nowMs} />
              </span>
            )}
          </span>
        }
      >
        {isConnected ? <SourceActions source={source} /> : <LookActions source={source} />}
      </PageHead>
      <div role="alert" className="empty:hidden">
        {problem !== null && (
          <p className="mb-4 rounded-lg bg-bad-soft px-3 py-2.5 text-pretty text-bad">{problem}</p>
        )}
      </div>
      {source.removalsWaiting > 0 && <Removals source={source} />}
      {isConnected ? <Currency source={source} nowMs={nowMs} /> : <Look source={source} nowMs={nowMs} />}
      <PartnerValues source={source} />
      {isConnected && <Rejects source={source} nowMs={nowMs} />}
      <MappingPanel source={source} />
      {isConnected && source.kind === 'hubspot' && <FilesPanel source={source} />}
      {isConnected && source.kind === 'hubspot' && <HintSettings source={source} />}
    </>
  )
}

/** Shows how current the deals are, and how complete. */
function Currency({ source, nowMs }: { source: Source; nowMs: number }) {
  const { lagMs, succeededAt, windowRead, windowTotal, comparedAt, isComparing } = source
  return (
    <Panel title="Progress" about={`Looks for changes every ${source.pollS} seconds.`}>
      {source.loadedAt === null && (
        <div className="mb-5 space-y-2">
          <p>First load: {progressText(source)}</p>
          <ProgressBar
            label="First load"
            value={windowTotal === null ? null : Math.min(1, windowRead / Math.max(1, windowTotal))}
          />
        </div>
      )}
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
        <Fact label="Last success">
          {succeededAt === null ? 'Never' : <When at={succeededAt} nowMs={nowMs} />}
        </Fact>
        <Fact label="Lag">{lagMs === null ? 'Unknown' : roughly(lagMs)}</Fact>
        <Fact label="Deals">{formatCount(source.deals)}</Fact>
        <Fact label="Created">{formatCount(source.created)}</Fact>
        <Fact label="Updated">{formatCount(source.updated)}</Fact>
        <Fact label="Removed">{formatCount(source.removed)}</Fact>
        <Fact label="Last comparison">
          {isComparing && 'Running'}
          {!isComparing && (comparedAt === null ? 'Never' : <When at={comparedAt} nowMs={nowMs} />)}
        </Fact>
        <Fact label="Differences found">
          {comparedAt === null
            ? 'None yet'
            : `${formatCount(source.differing)} of ${formatCount(source.compared)}`}
        </Fact>
      </dl>
    </Panel>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-ink-soft">{label}</dt>
      <dd className="font-medium tabular-nums wrap-anywhere">{children}</dd>
    </div>
  )
}
