'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Button, SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { placeOf, useZone } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { Api } from '#server/api.ts'
import type { NotificationKind } from '#server/notifications/notification.ts'
import type { Schedule } from '#server/notifications/when.ts'
import { MailRejected } from '../mail-rejected.tsx'

type Settings = inferRouterOutputs<Api>['notifications']['settings']

const kindLabels: Record<NotificationKind, string> = {
  stage: 'Stage moved, or a followed view entered or left',
  dates: 'Date set, changed or a day away',
  late: 'Late, or no longer late',
  items: 'Outstanding items changed',
  files: 'File added',
  messages: 'Answer, mention, or deal assigned to you or taken away',
}

const scheduleLabels: Record<Schedule, string> = {
  'at-once': 'At once',
  daily: 'Once a day',
  monday: 'Monday morning',
}

/** Lets the user choose their notifications, when and how they are sent, and which deals are theirs. */
export function Notifications() {
  const { data } = trpc.notifications.settings.useQuery()
  return (
    <>
      <MailRejected />
      {data !== undefined && <SettingsForm settings={data} />}
      <OwnDeals />
    </>
  )
}

function SettingsForm({ settings: { hasMail, ...saved } }: { settings: Settings }) {
  const [chosen, choose] = useState(saved)
  const change = (part: Partial<typeof saved>) => choose({ ...chosen, ...part })
  const { notifications } = trpc.useUtils()
  const save = trpc.notifications.setSettings.useMutation({
    async onSuccess() {
      toast.success('Notification settings saved.')
      await notifications.settings.invalidate()
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate(chosen)
      }}
      className="flex max-w-md flex-col gap-5"
    >
      <FormProblem problem={save.error && failureMessage(save.error)} />
      <fieldset className="grid gap-2.5 pointer-coarse:gap-0">
        <legend className="mb-2.5 font-medium">Of deals that you follow</legend>
        {(Object.keys(kindLabels) as NotificationKind[]).map((kind) => (
          <Switch key={kind} isOn={chosen[kind]} set={(isOn) => change({ [kind]: isOn })}>
            {kindLabels[kind]}
          </Switch>
        ))}
      </fieldset>
      {hasMail && (
        <fieldset className="grid gap-2.5 pointer-coarse:gap-0">
          <legend className="mb-2.5 font-medium">By e-mail</legend>
          <Switch isOn={chosen.byMail} set={(byMail) => change({ byMail })}>
            Send notifications by e-mail
          </Switch>
        </fieldset>
      )}
      <ScheduleFields chosen={chosen} change={change} />
      <SubmitButton busy={save.isPending} className="self-start">
        Save notifications
      </SubmitButton>
    </form>
  )
}

type Chosen = Omit<Settings, 'hasMail'>

function ScheduleFields({ chosen, change }: { chosen: Chosen; change: (part: Partial<Chosen>) => void }) {
  const zone = useZone()
  return (
    <>
      <SelectField
        label="When to send them"
        choices={Object.entries(scheduleLabels).map(([value, label]) => ({ value, label }))}
        value={chosen.schedule}
        onChange={({ target }) => change({ schedule: target.value as Schedule })}
      />
      {chosen.schedule === 'at-once' && (
        <Switch isOn={chosen.atNight} set={(atNight) => change({ atNight })}>
          Also between 9 PM and 7 AM
        </Switch>
      )}
      {chosen.schedule === 'daily' && (
        <SelectField
          label={`Hour (${placeOf(zone)})`}
          choices={hours}
          value={String(chosen.hour)}
          onChange={({ target }) => change({ hour: Number(target.value) })}
        />
      )}
    </>
  )
}

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? 'AM' : 'PM'}`,
}))

function Switch({ isOn, set, children }: { isOn: boolean; set: (isOn: boolean) => void; children: string }) {
  return (
    <label className="flex w-fit touch items-center gap-2.5">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => set(target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      {children}
    </label>
  )
}

/** Suggests people in deals who may be the user; their deals are followed once confirmed. */
function OwnDeals() {
  const { data: people } = trpc.notifications.people.useQuery()
  const [chosen, choose] = useState<ReadonlySet<number> | null>(null)
  const { notifications } = trpc.useUtils()
  const confirm = trpc.notifications.confirmPeople.useMutation({
    async onSuccess() {
      toast.success('Saved.')
      await Promise.all([notifications.people.invalidate(), notifications.follow.invalidate()])
    },
    onError: (error) => void toast.error(failureMessage(error)),
  })
  if (people === undefined) return null
  const ids = chosen ?? new Set(people.filter(({ isConfirmed }) => isConfirmed).map(({ id }) => id))
  return (
    <section aria-labelledby="own-deals" className="mt-6 max-w-md border-t border-line pt-5">
      <h3 id="own-deals" className="font-medium">
        Deals that name you
      </h3>
      {people.length === 0 ? (
        <p className="mt-1 text-pretty text-ink-soft">
          No deal names your e-mail address or name. You can follow single deals and views.
        </p>
      ) : (
        <>
          <p className="mt-1 mb-3 text-pretty text-ink-soft">
            Check those that are you to follow all their deals.
          </p>
          <div className="grid gap-2.5 pointer-coarse:gap-0">
            {people.map(({ id, name, email, dealCount }) => (
              <Switch
                key={id}
                isOn={ids.has(id)}
                set={(isOn) => {
                  const next = new Set(ids)
                  if (isOn) next.add(id)
                  else next.delete(id)
                  choose(next)
                }}
              >
                {`${[name, email].filter((text) => text !== '').join(' · ')} · ${formatCountOf(dealCount, 'deal')}`}
              </Switch>
            ))}
          </div>
          <Button busy={confirm.isPending} onClick={() => confirm.mutate({ ids: [...ids] })} className="mt-4">
            Save your deals
          </Button>
        </>
      )}
    </section>
  )
}
