'use client'

import { type FormEvent, type ReactNode, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { CopyButton } from '#app/ui/copy.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { CheckField, FormProblem, SelectField, TextField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { useFormat, When } from '#app/ui/times.tsx'
import { toastRefusal } from '#app/ui/toast-failure.ts'
import { type Zone, utc } from '#server/values/zone.ts'
import { ZoneForm } from '../../../account/zone-form.tsx'
import { ProgressBar, WithoutPartner } from '../../controls.tsx'
import { progressText, roughly, type Source, sourceStates } from '../labels.ts'
import { FilesPanel } from './files-panel.tsx'
import { Look, LookActions, LookStages, problemColumns } from './look.tsx'
import { MappingPanel } from './mapping.tsx'
import { useDisconnect, useDone } from './use-done.ts'

const refreshMs = 2000

/** Shows a source: its data age, pending work, and mapping. */
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
  const { formatDuration } = useFormat()
  const isConnected = source.connectedAt !== null
  return (
    <>
      <PageHead
        title={name}
        about={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Badge tone={sourceStates[state].tone}>{sourceStates[state].label}</Badge>
            {failingSince !== null && <span>Failing for {formatDuration(failingSince, nowMs)}</span>}
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
      {source.missingProperties.length > 0 && <MissingProperties source={source} />}
      {source.removalsWaiting > 0 && <Removals source={source} />}
      {isConnected ? <Currency source={source} nowMs={nowMs} /> : <Look source={source} nowMs={nowMs} />}
      <PartnerValues source={source} />
      {isConnected && <Rejects source={source} nowMs={nowMs} />}
      <MappingPanel source={source} />
      {!isConnected && source.trial?.result && <LookStages result={source.trial.result} />}
      <ZonePanel key={source.zone} source={source} />
      {isConnected && source.kind === 'hubspot' && <FilesPanel source={source} />}
      {isConnected && source.kind === 'hubspot' && <HintSettings source={source} />}
    </>
  )
}

/** Shows how recent and complete the source's deals are. */
function Currency({ source, nowMs }: { source: Source; nowMs: number }) {
  const { asOf, succeededAt, windowRead, windowTotal, comparedAt, isComparing } = source
  return (
    <Panel title="Progress" about={`Checks for changes every ${source.pollS} seconds.`}>
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
          <When at={succeededAt} nowMs={nowMs} />
        </Fact>
        <Fact label="Data as of">{asOf === null ? 'Unknown' : <When at={asOf} nowMs={nowMs} />}</Fact>
        <Fact label="Longest delay in 7 days">{roughly(source.delayMs)}</Fact>
        <Fact label="Deals">{formatCount(source.deals)}</Fact>
        <Fact label="Created">{formatCount(source.created)}</Fact>
        <Fact label="Updated">{formatCount(source.updated)}</Fact>
        <Fact label="Removed">{formatCount(source.removed)}</Fact>
        <Fact label="Last comparison">
          {isComparing && 'Running'}
          {!isComparing && <When at={comparedAt} nowMs={nowMs} />}
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

/** Sets the time zone for times that the source sends without a zone. */
function ZonePanel({ source: { id, zone } }: { source: Source }) {
  const set = trpc.sources.setZone.useMutation(useDone()('Time zone saved. All deals are read again.'))
  return (
    <Panel title="Time zone" about="Used for times without a time zone.">
      <ZoneForm
        label="Time zone of the source"
        defaultText={utc}
        timeZone={zone === utc ? null : zone}
        isBusy={set.isPending}
        problem={set.error && refusalMessage(set.error)}
        onSave={(chosen) => set.mutate({ id, zone: (chosen ?? utc) as Zone })}
      />
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

function SourceActions({ source: { id, name, pausedAt } }: { source: Source }) {
  const done = useDone()
  const options = (text: string) => ({ ...done(text), onError: toastRefusal })
  const refresh = trpc.sources.refresh.useMutation(options('Reading changes.'))
  const compare = trpc.sources.compare.useMutation(options('Comparing all deals.'))
  const pause = trpc.sources.pause.useMutation(options(`${name} paused.`))
  const resume = trpc.sources.resume.useMutation(options(`${name} resumed.`))
  const disconnect = useDisconnect({ id }, `${name} disconnected.`)
  return (
    <>
      <Button onClick={() => refresh.mutate({ id })}>Read now</Button>
      <Button onClick={() => compare.mutate({ id })}>Compare now</Button>
      <Button onClick={() => (pausedAt === null ? pause : resume).mutate({ id })}>
        {pausedAt === null ? 'Pause' : 'Resume reading'}
      </Button>
      <Confirm
        trigger={<Button look="remove">Disconnect</Button>}
        title={`Disconnect ${name}?`}
        yes="Disconnect"
        isDestructive
        onYes={disconnect}
      >
        Its token and mapping are deleted. Deals stay as they are and no longer follow changes.
      </Confirm>
    </>
  )
}

/** Sets up HubSpot webhooks, which trigger an immediate sync. */
function HintSettings({ source: { id, hintUrl, hasSigningSecret } }: { source: Source }) {
  const done = useDone()
  const [secret, setSecret] = useState('')
  const set = trpc.sources.setSigningSecret.useMutation(done('Client secret saved.', () => setSecret('')))
  const turnOff = trpc.sources.setSigningSecret.useMutation(done('Webhooks turned off.'))
  const error = set.error ?? turnOff.error
  function save(event: FormEvent) {
    event.preventDefault()
    if (!set.isPending && secret.trim() !== '') set.mutate({ id, secret: secret.trim() })
  }
  return (
    <Panel
      title="Webhooks from HubSpot"
      about="Optional. HubSpot announces changed, deleted and merged deals, which are then read right away."
    >
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-ink-soft">Target URL</span>
        <code className="wrap-anywhere">{hintUrl}</code>
        <CopyButton label="Copy target URL" confirmation="URL copied." look="icon" text={() => hintUrl} />
      </p>
      <form className="mt-4 flex flex-col gap-3" onSubmit={save}>
        <FormProblem problem={error && refusalMessage(error)} />
        <TextField
          label="Client secret"
          type="password"
          autoComplete="off"
          spellCheck={false}
          hint={
            hasSigningSecret
              ? 'Set. Enter another one to replace it.'
              : 'The client secret of the HubSpot app that sends the webhooks. Without it, none are accepted.'
          }
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <SubmitButton look="plain" busy={set.isPending} disabled={secret.trim() === ''}>
            Save secret
          </SubmitButton>
          {hasSigningSecret && (
            <Button onClick={() => turnOff.mutate({ id, secret: null })}>Turn off webhooks</Button>
          )}
        </div>
      </form>
    </Panel>
  )
}

/** Shows the records that could not be imported, or only with some values missing. */
function Rejects({ source: { rejects, rejected, unreadable }, nowMs }: { source: Source; nowMs: number }) {
  const count = rejected + unreadable
  return (
    <Panel
      title="Records with problems"
      about="Unreadable values leave their fields unchanged. Correct them in the source; they are read again when they change."
    >
      {rejects.length === 0 ? (
        <p>None.</p>
      ) : (
        <>
          <ListTable
            label="Records with problems"
            columns={[...problemColumns, { title: 'Read', cell: ({ at }) => <When at={at} nowMs={nowMs} /> }]}
            rows={rejects}
            keyOf={({ id }) => id}
          />
          {count > rejects.length && (
            <p className="mt-2 text-ink-soft">
              The first {rejects.length} of {formatCount(count)}.
            </p>
          )}
        </>
      )}
    </Panel>
  )
}

/** Lists mapped properties that were deleted in the source. */
function MissingProperties({ source: { missingProperties, partnerProperty } }: { source: Source }) {
  const isPartner = missingProperties.includes(partnerProperty ?? '')
  const [starts, ends] =
    missingProperties.length === 1
      ? ['This property no longer exists', 'Its field keeps its values until you map another property.']
      : ['These properties no longer exist', 'Their fields keep their values until you map other properties.']
  return (
    <p role="status" className="mb-6 rounded-xl bg-wait-soft p-4 text-pretty text-wait">
      {starts} in the source:{' '}
      <span className="font-medium wrap-anywhere">{missingProperties.join(', ')}</span>. {ends}
      {isPartner && ' Deals keep their partners, and new deals have none.'}
    </p>
  )
}

/** Asks an operator to approve an unusually large number of removals. */
function Removals({ source: { id, removalsWaiting: count, deals } }: { source: Source }) {
  const done = useDone()
  const approve = trpc.sources.approveRemovals.useMutation({
    ...done('Removing deals.'),
    onError: toastRefusal,
  })
  return (
    <div className="mb-6 flex flex-wrap items-center justify-between gap-3 rounded-xl bg-wait-soft p-4 text-wait">
      <p className="text-pretty">
        {formatCountOf(count, 'deal')} of {formatCount(deals)} no longer exist in the source. Nothing was
        removed.
      </p>
      <Confirm
        trigger={<Button look="remove">Remove {formatCountOf(count, 'deal')}</Button>}
        title={`Remove ${formatCountOf(count, 'deal')}?`}
        yes="Remove"
        isDestructive
        onYes={() => approve.mutate({ id, count })}
      >
        The deals are archived, deleted or merged in the source. They disappear from the portal and the REST
        interface.
      </Confirm>
    </div>
  )
}

/** Shows which partner each value stands for, unmapped values first. */
function PartnerValues({ source }: { source: Source }) {
  const { partnerProperty, unknown, partners } = source
  const [assigned, setAssigned] = useState<Row | null>(null)
  const rows: Row[] = [
    ...unknown.map(({ value, deals }) => ({ value, deals, partner: null })),
    ...partners.map(({ value, slug, name }) => ({ value, deals: null, partner: { slug, name } })),
  ]
  return (
    <Panel
      title="Partners"
      about={
        partnerProperty === null
          ? 'No property is mapped to the partner.'
          : `Values of ${partnerProperty}. No partner sees deals with an unassigned value.`
      }
    >
      {source.connectedAt !== null && source.withoutPartner > 0 && (
        <p className="mb-3">
          <WithoutPartner count={source.withoutPartner} />
        </p>
      )}
      {rows.length === 0 ? (
        <p>No values yet.</p>
      ) : (
        <ListTable
          label="Partner values"
          columns={columnsFor(setAssigned)}
          rows={rows}
          keyOf={({ value }) => value}
        />
      )}
      {assigned !== null && <AssignDialog source={source} row={assigned} onClose={() => setAssigned(null)} />}
    </Panel>
  )
}

/** Label of an empty partner value. */
const blank = 'Blank'

interface Row {
  /** Empty if the deal has no partner value. */
  value: string
  /** Number of deals waiting for a mapping; null if the value is already mapped to a partner. */
  deals: number | null
  partner: { slug: string; name: string } | null
}

const columnsFor = (assign: (row: Row) => void): ListColumn<Row>[] => [
  { title: 'Value', cell: ({ value }) => value || <span className="text-ink-soft">{blank}</span> },
  {
    title: 'Partner',
    cell: ({ partner, deals }) =>
      partner === null ? (
        <span className="text-wait">Not assigned · {formatCountOf(deals ?? 0, 'deal')}</span>
      ) : (
        partner.name
      ),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (row) => (
      <div className="flex sm:justify-end">
        <Button onClick={() => assign(row)} about={row.value || blank}>
          {row.partner === null ? 'Assign' : 'Change'}
        </Button>
      </div>
    ),
  },
]

function AssignDialog({ source, row, onClose }: { source: Source; row: Row; onClose: () => void }) {
  const { id, connectedAt } = source
  const done = useDone()
  const [partner, setPartner] = useState(row.partner?.slug ?? '')
  const [events, setEvents] = useState(true)
  const all = trpc.accounts.partners.useQuery()
  const assign = trpc.sources.assign.useMutation(done(`${row.value || blank} assigned.`, onClose))
  return (
    <Dialog title={`Partner of ${row.value || blank}`} onClose={onClose}>
      <DialogForm
        onSubmit={() => assign.mutate({ id, value: row.value, partner: partner || null, events })}
        problem={assign.error && refusalMessage(assign.error)}
        busy={assign.isPending}
        submit="Assign"
        onCancel={onClose}
      >
        <SelectField
          label="Partner"
          choices={[
            { value: '', label: 'No partner' },
            ...(all.data ?? (row.partner === null ? [] : [row.partner])).map(({ slug, name }) => ({
              value: slug,
              label: `${name} (${slug})`,
            })),
          ]}
          value={partner}
          onChange={({ currentTarget: { value } }) => setPartner(value)}
        />
        {connectedAt !== null && (
          <CheckField
            label={`Send webhooks for ${row.deals === null ? 'deals that move' : formatCountOf(row.deals, 'deal')}`}
            checked={events}
            onChange={({ target }) => setEvents(target.checked)}
          />
        )}
      </DialogForm>
    </Dialog>
  )
}
