'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { BellOff, BellRing, Pencil, Send, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { SelectField, TextField } from '#app/ui/fields.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { When } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { Api } from '#server/api.ts'
import {
  type TeamKind,
  type TeamService,
  teamKindLabels,
  teamKinds,
  teamServiceLabels,
  teamServices,
} from '#server/notifications/team/wire.ts'

type TeamChannel = inferRouterOutputs<Api>['channels']['list'][number]

/** Shows the Slack and Microsoft Teams channels that receive news of a partner's deals. */
export function TeamChannels() {
  const query = trpc.channels.list.useQuery()
  const [edited, edit] = useState<TeamChannel | 'new' | null>(null)
  return (
    <Panel
      title="Team channels"
      about="Posts updates on all deals to Slack or Microsoft Teams, at most one message every 10 minutes."
    >
      <QueryState what="team channels" query={query} data={query.data}>
        {(channels) => (
          <div className="flex flex-col items-start gap-4">
            {channels.length > 0 && (
              <ul className="w-full divide-y divide-line">
                {channels.map((channel) => (
                  <li key={channel.id} className="py-3 first:pt-0">
                    <Channel channel={channel} nowMs={query.dataUpdatedAt} onEdit={() => edit(channel)} />
                  </li>
                ))}
              </ul>
            )}
            <Button onClick={() => edit('new')}>Post to a team channel</Button>
          </div>
        )}
      </QueryState>
      {edited !== null && (
        <ChannelDialog channel={edited === 'new' ? null : edited} onClose={() => edit(null)} />
      )}
    </Panel>
  )
}

function Channel({ channel, nowMs, onEdit }: { channel: TeamChannel; nowMs: number; onEdit: () => void }) {
  const { name, service, shownUrl, switchedOffAt } = channel
  return (
    <div className="flex items-start justify-between gap-x-6">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
          {name}
          <Badge tone={switchedOffAt === null ? 'good' : 'wait'}>
            {switchedOffAt === null ? 'Active' : 'Off'}
          </Badge>
        </p>
        <p className="text-ink-soft wrap-anywhere">
          {teamServiceLabels[service]} · {shownUrl}
        </p>
        <Told channel={channel} nowMs={nowMs} />
        <Problem channel={channel} nowMs={nowMs} />
      </div>
      <ChannelActions channel={channel} onEdit={onEdit} />
    </div>
  )
}

/** Shows the actions for a channel. */
function ChannelActions({
  channel: { id, name, service, switchedOffAt },
  onEdit,
}: {
  channel: TeamChannel
  onEdit: () => void
}) {
  const { channels } = trpc.useUtils()
  const [isAsked, setAsked] = useState(false)
  const refresh = () => channels.list.invalidate()
  const test = trpc.channels.test.useMutation({
    onSuccess({ problem }) {
      if (problem === null) toast.success(`Test message posted to ${name}.`)
      else toast.error(`Not posted: ${problem}`)
    },
    onError: toastFailure,
  })
  const turn = trpc.channels.switch.useMutation({ onSuccess: refresh, onError: toastFailure })
  const remove = trpc.channels.remove.useMutation({ onSuccess: refresh, onError: toastFailure })
  const isOn = switchedOffAt === null
  return (
    <>
      <RowMenu about={name} busy={test.isPending || turn.isPending || remove.isPending}>
        <MenuItem icon={Send} about={name} onSelect={() => test.mutate({ id })}>
          Send test
        </MenuItem>
        <MenuItem icon={Pencil} about={name} onSelect={onEdit}>
          Edit
        </MenuItem>
        <MenuItem
          icon={isOn ? BellOff : BellRing}
          about={name}
          onSelect={() => turn.mutate({ id, isOn: !isOn })}
        >
          {isOn ? 'Turn off' : 'Turn on'}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} about={name} isDestructive onSelect={() => setAsked(true)}>
          Remove
        </MenuItem>
      </RowMenu>
      {isAsked && (
        <ConfirmDialog
          title={`Remove ${name}?`}
          yes="Remove"
          isDestructive
          onYes={() => remove.mutate({ id })}
          onClose={() => setAsked(false)}
        >
          No more messages will be posted. The webhook at {teamServiceLabels[service]} stays.
        </ConfirmDialog>
      )}
    </>
  )
}

/** Shows what is posted to a channel, and the last time. */
function Told({ channel: { kinds, lastSentAt }, nowMs }: { channel: TeamChannel; nowMs: number }) {
  return (
    <p className="text-pretty text-ink-soft">
      {kinds.map((kind) => teamKindLabels[kind]).join(', ')}
      {lastSentAt !== null && (
        <>
          {' · last posted '}
          <When at={lastSentAt} nowMs={nowMs} />
        </>
      )}
    </p>
  )
}

function Problem({
  channel: { problem, failedAt, switchedOffBecause },
  nowMs,
}: {
  channel: TeamChannel
  nowMs: number
}) {
  if (problem === null || failedAt === null) return null
  return (
    <p className="mt-1 text-pretty text-bad wrap-anywhere">
      {switchedOffBecause === 'rejected'
        ? 'Turned off because it no longer accepts messages'
        : 'Last message failed'}{' '}
      <When at={failedAt} nowMs={nowMs} />: {problem}
    </p>
  )
}

const services = teamServices.map((value) => ({ value, label: teamServiceLabels[value] }))
const urlHints: Record<TeamService, string> = {
  slack: 'An incoming webhook: https://hooks.slack.com/services/…',
  teams: 'The URL of a workflow “Post to a channel when a webhook request is received”.',
}

/** Adds a channel or changes its kinds of news. */
function ChannelDialog({ channel, onClose }: { channel: TeamChannel | null; onClose: () => void }) {
  const [name, setName] = useState(channel?.name ?? '')
  const [service, setService] = useState<TeamService>(channel?.service ?? 'slack')
  const [url, setUrl] = useState('')
  const [kinds, setKinds] = useState<TeamKind[]>(channel?.kinds ?? [...teamKinds])
  const saving = useSave(channel, onClose)
  const isWrongUrl = saving.error?.message === 'The URL cannot be used'
  const [isTried, setTried] = useState(false)
  const missing = { name: name.trim() === '', url: channel === null && url === '', kinds: kinds.length === 0 }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.values(missing).some(Boolean)) return
    if (channel === null) saving.add.mutate({ name, service, url: url.trim(), kinds })
    else saving.change.mutate({ id: channel.id, name, kinds })
  }
  return (
    <Dialog title={channel === null ? 'Post to a team channel' : `Edit ${channel.name}`} onClose={onClose}>
      <DialogForm
        onSubmit={submit}
        problem={saving.error && !isWrongUrl ? failureMessage(saving.error) : null}
        busy={saving.isPending}
        submit={channel === null ? 'Add channel' : 'Save'}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          hint="Such as #deals."
          value={name}
          maxLength={80}
          onChange={({ target }) => setName(target.value)}
          error={isTried && missing.name ? 'Enter a name.' : undefined}
        />
        {channel === null && (
          <>
            <SelectField
              label="Service"
              choices={services}
              value={service}
              onChange={({ target }) => setService(target.value as TeamService)}
            />
            <TextField
              label="Webhook URL"
              hint={urlHints[service]}
              type="url"
              autoComplete="off"
              value={url}
              onChange={({ target }) => setUrl(target.value)}
              error={
                (isTried && missing.url) || isWrongUrl ? 'Enter a public https URL of a webhook.' : undefined
              }
            />
          </>
        )}
        <Kinds kinds={kinds} onChange={setKinds} isMissing={isTried && missing.kinds} />
      </DialogForm>
    </Dialog>
  )
}

/** Shows the choice of posted news. */
function Kinds({
  kinds,
  onChange,
  isMissing,
}: {
  kinds: TeamKind[]
  onChange: (kinds: TeamKind[]) => void
  isMissing: boolean
}) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">Post</legend>
      {teamKinds.map((kind) => (
        <label key={kind} className="flex touch items-center gap-2.5 py-1">
          <input
            type="checkbox"
            checked={kinds.includes(kind)}
            onChange={({ target }) =>
              onChange(target.checked ? [...kinds, kind] : kinds.filter((each) => each !== kind))
            }
            className="size-4 accent-accent"
          />
          {teamKindLabels[kind]}
        </label>
      ))}
      {isMissing && <p className="mt-1 text-bad">Select at least one.</p>}
    </fieldset>
  )
}

/** Adds a channel or saves its changes. Calls `onDone` afterwards. */
function useSave(channel: TeamChannel | null, onDone: () => void) {
  const { channels } = trpc.useUtils()
  const onSuccess = async () => {
    await channels.list.invalidate()
    toast.success(channel === null ? 'Team channel added.' : 'Saved.')
    onDone()
  }
  const add = trpc.channels.add.useMutation({ onSuccess })
  const change = trpc.channels.change.useMutation({ onSuccess })
  return { add, change, isPending: add.isPending || change.isPending, error: add.error ?? change.error }
}
