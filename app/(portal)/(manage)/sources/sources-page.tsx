'use client'

import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { When } from '#app/ui/when.tsx'
import { ConnectDialog } from './connect-dialog.tsx'
import { type SourceLine, progressText, roughly, sourceStates } from './labels.ts'

const refreshMs = 3000

/** Shows the systems that deals come from. */
export function SourcesPage() {
  const query = trpc.sources.list.useQuery(undefined, { refetchInterval: refreshMs })
  const [isConnecting, setConnecting] = useState(false)
  return (
    <>
      <PageHead title="Sources" about="Systems that deals come from, kept current automatically.">
        <button type="button" onClick={() => setConnecting(true)} className={button.primary}>
          <Plus aria-hidden="true" className="size-4" />
          Connect HubSpot
        </button>
      </PageHead>
      <QueryState what="sources" query={query} data={query.data}>
        {(sources) =>
          sources.length === 0 ? (
            <Notice icon={RefreshCw} title="No sources yet">
              Connect your CRM, and deals follow it without imports.
            </Notice>
          ) : (
            <ListTable
              label="Sources"
              columns={columnsAt(query.dataUpdatedAt)}
              rows={sources}
              keyOf={({ id }) => id}
            />
          )
        }
      </QueryState>
      {isConnecting && <ConnectDialog onClose={() => setConnecting(false)} />}
    </>
  )
}

function lagText(source: SourceLine): string {
  if (source.connectedAt === null) return 'Connect it to read its deals'
  return source.lagMs === null ? `Reading ${progressText(source)}` : roughly(source.lagMs)
}

const columnsAt = (nowMs: number): ListColumn<SourceLine>[] => [
  {
    title: 'Source',
    cell: ({ id, name }) => (
      <Link href={`/sources/${id}`} className="underline">
        {name}
      </Link>
    ),
  },
  {
    title: 'State',
    cell: (source) => (
      <>
        <Badge tone={sourceStates[source.state].tone}>{sourceStates[source.state].label}</Badge>
        {source.problem !== null && (
          <span className="mt-1 block text-pretty text-ink-soft">{source.problem}</span>
        )}
      </>
    ),
  },
  {
    title: 'Last success',
    cell: ({ succeededAt }) =>
      succeededAt === null ? (
        <span className="text-ink-soft">Never</span>
      ) : (
        <When at={succeededAt} nowMs={nowMs} />
      ),
  },
  {
    title: 'Lag',
    cell: (source) => lagText(source),
  },
]
