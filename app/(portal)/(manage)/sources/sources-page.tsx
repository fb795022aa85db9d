'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { Plus, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { TextField } from '#app/ui/fields.tsx'
import { Link, useRouter } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import { ConnectSource } from '#server/sources/wire.ts'
import { type SourceLine, progressText, roughly, sourceStates } from './labels.ts'

const refreshMs = 3000

/** Shows the external systems that deals are imported from. */
export function SourcesPage() {
  const query = trpc.sources.list.useQuery(undefined, { refetchInterval: refreshMs })
  const [isConnecting, setConnecting] = useState(false)
  return (
    <>
      <PageHead title="Sources" about="CRMs and databases that deals are synced from.">
        <Button onClick={() => setConnecting(true)} look="primary">
          <Plus aria-hidden="true" className="size-4" />
          Connect HubSpot
        </Button>
      </PageHead>
      <QueryState what="sources" query={query} data={query.data}>
        {(sources) =>
          sources.length === 0 ? (
            <Notice icon={RefreshCw} title="No sources yet">
              Connect your CRM to keep deals in sync without imports.
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
    cell: ({ succeededAt }) => <When at={succeededAt} nowMs={nowMs} />,
  },
  { title: 'Lag', cell: (source) => lagText(source) },
]

/** Connects a HubSpot account and opens the preview. */
function ConnectDialog({ onClose }: { onClose: () => void }) {
  const router = useRouter()
  const { sources } = trpc.useUtils()
  const { register, handleSubmit, formState } = useForm<ConnectSource>({
    resolver: zodResolver(ConnectSource),
    defaultValues: { kind: 'hubspot', name: 'HubSpot', secret: '' },
  })
  const { errors } = formState
  const look = trpc.sources.look.useMutation({
    async onSuccess({ id }) {
      await sources.list.invalidate()
      onClose()
      router.push(`/sources/${id}`)
    },
  })
  return (
    <Dialog title="Connect HubSpot" onClose={onClose}>
      <DialogForm
        onSubmit={handleSubmit((given) => look.mutate(given))}
        problem={look.error && refusalMessage(look.error)}
        busy={look.isPending}
        submit="Preview"
        onCancel={onClose}
      >
        <TextField
          label="Name"
          autoComplete="off"
          {...register('name')}
          error={errors.name && 'Enter a name of at most 100 characters.'}
        />
        <TextField
          label="Access token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          hint="From a HubSpot private app that can read deals and owners. Stored encrypted and not shown again."
          {...register('secret')}
          error={errors.secret && 'Enter the access token.'}
        />
        <p className="text-ink-soft">Nothing is imported yet: you review what would change first.</p>
      </DialogForm>
    </Dialog>
  )
}
