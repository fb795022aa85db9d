'use client'

import { BellOff, BellRing } from 'lucide-react'
import { useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { SelectField, TextField } from '#app/ui/fields.tsx'
import { MenuItem } from '#app/ui/menu.tsx'
import { When } from '#app/ui/times.tsx'
import { done, toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import {
  type TeamKind,
  type TeamService,
  teamKindLabels,
  teamKinds,
  teamServiceLabels,
  teamServices,
} from '#server/notifications/wire.ts'
import { CheckList } from '../controls.tsx'
import { EditableList, ItemMenu } from './editable-list.tsx'

type TeamChannel = Outputs['channels']['list'][number]

/** Shows the Slack and Microsoft Teams channels that receive updates about a partner's deals. */
export function TeamChannels() {
  const query = trpc.channels.list.useQuery()
  return (
    <EditableList
      title="Team channels"
      about="Posts updates on all deals to Slack or Microsoft Teams, at most one message every 10 minutes."
      add="Post to a team channel"
      query={query}
      items={query.data}
      line={(channel, edit) => (
        <>
          <Channel channel={channel} nowMs={query.dataUpdatedAt} />
          <ChannelActions channel={channel} onEdit={edit} />
        </>
      )}
      dialog={(channel, close) => <ChannelDialog channel={channel} onClose={close} />}
    />
  )
}

function Channel({ channel, nowMs }: { channel: TeamChannel; nowMs: number }) {
  const { name, service, shownUrl, kinds, lastSentAt, problem, failedAt } = channel
  const { switchedOffAt, switchedOffBecause } = channel
  return (
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
      <p className="text-pretty text-ink-soft">
        {kinds.map((kind) => teamKindLabels[kind]).join(', ')}
        {lastSentAt !== null && (
          <>
            {' · last posted '}
            <When at={lastSentAt} nowMs={nowMs} />
          </>
        )}
      </p>
      {problem !== null && failedAt !== null && (
        <p className="mt-1 text-pretty text-bad wrap-anywhere">
          {switchedOffBecause === 'rejected'
            ? 'Turned off because it no longer accepts messages'
            : 'Last message failed'}{' '}
          <When at={failedAt} nowMs={nowMs} />: {problem}
        </p>
      )}
    </div>
  )
}

function ChannelActions({
  channel: { id, name, service, switchedOffAt },
  onEdit,
}: {
  channel: TeamChannel
  onEdit: () => void
}) {
  const { channels } = trpc.useUtils()
  const options = { onSuccess: () => channels.list.invalidate(), onError: toastFailure }
  const test = trpc.channels.test.useMutation({
    onSuccess({ problem }) {
      if (problem === null) toast.success(`Test message posted to ${name}.`)
      else toast.error(`Not posted: ${problem}`)
    },
    onError: toastFailure,
  })
  const turn = trpc.channels.switch.useMutation(options)
  const remove = trpc.channels.remove.useMutation(options)
  const isOn = switchedOffAt === null
  return (
    <ItemMenu
      name={name}
      busy={test.isPending || turn.isPending || remove.isPending}
      consequence={`No more messages will be posted. The webhook at ${teamServiceLabels[service]} stays.`}
      onTest={() => test.mutate({ id })}
      onEdit={onEdit}
      onDelete={() => remove.mutate({ id })}
    >
      <MenuItem
        icon={isOn ? BellOff : BellRing}
        about={name}
        onSelect={() => turn.mutate({ id, isOn: !isOn })}
      >
        {isOn ? 'Turn off' : 'Turn on'}
      </MenuItem>
    </ItemMenu>
  )
}

const services = teamServices.map((value) => ({ value, label: teamServiceLabels[value] }))
const urlHints: Record<TeamService, string> = {
  slack: 'An incoming webhook: https://hooks.slack.com/services/…',
  teams: 'The URL of a workflow “Post to a channel when a webhook request is received”.',
}

/** Adds or edits a channel. */
function ChannelDialog({ channel, onClose }: { channel: TeamChannel | null; onClose: () => void }) {
  const [name, setName] = useState(channel?.name ?? '')
  const [service, setService] = useState<TeamService>(channel?.service ?? 'slack')
  const [url, setUrl] = useState('')
  const [kinds, setKinds] = useState<TeamKind[]>(channel?.kinds ?? [...teamKinds])
  const { submit, isPending, problems } = useSave(channel, { name, service, url: url.trim(), kinds }, onClose)
  return (
    <Dialog title={channel === null ? 'Post to a team channel' : `Edit ${channel.name}`} onClose={onClose}>
      <DialogForm
        onSubmit={submit}
        problem={problems.form}
        busy={isPending}
        submit={channel === null ? 'Add channel' : 'Save'}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          hint="Such as #deals."
          value={name}
          maxLength={80}
          onChange={({ target }) => setName(target.value)}
          error={problems.name}
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
              error={problems.url}
            />
          </>
        )}
        <CheckList
          legend="Post"
          values={teamKinds}
          labelOf={(kind) => teamKindLabels[kind]}
          chosen={kinds}
          problem={problems.kinds}
          onChange={setKinds}
        />
      </DialogForm>
    </Dialog>
  )
}

/**
 * Returns a function that saves a new or edited channel, then calls `onDone`, and the problems of the form.
 */
function useSave(
  channel: TeamChannel | null,
  values: { name: string; service: TeamService; url: string; kinds: TeamKind[] },
  onDone: () => void,
) {
  const { channels } = trpc.useUtils()
  const [isTried, setTried] = useState(false)
  const text = channel === null ? 'Team channel added.' : 'Saved.'
  const options = done(() => channels.list.invalidate(), text, onDone)
  const add = trpc.channels.add.useMutation(options)
  const change = trpc.channels.change.useMutation(options)
  const { name, url, kinds } = values
  const missing = { name: name.trim() === '', url: channel === null && url === '', kinds: kinds.length === 0 }
  const error = add.error ?? change.error
  const isUrlWrong = error?.message === 'The URL cannot be used'
  return {
    submit() {
      setTried(true)
      if (Object.values(missing).some(Boolean)) return
      if (channel === null) add.mutate(values)
      else change.mutate({ id: channel.id, name, kinds })
    },
    isPending: add.isPending || change.isPending,
    problems: {
      name: isTried && missing.name ? 'Enter a name.' : undefined,
      url: isUrlWrong || (isTried && missing.url) ? 'Enter a public https URL of a webhook.' : undefined,
      kinds: isTried && missing.kinds ? 'Select at least one.' : undefined,
      form: error === null || isUrlWrong ? null : failureMessage(error),
    },
  }
}
