'use client'

import { useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { CheckField, SelectField, FormProblem, TextField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { useZone } from '#app/ui/times.tsx'
import { toast } from '#app/ui/toast.tsx'
import { isAdmin } from '#server/accounts/role.ts'
import { Rename } from '#server/accounts/wire.ts'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { NotificationKind } from '#server/notifications/notification.ts'
import type { Schedule } from '#server/notifications/when.ts'
import { roleLabels } from '../frame/viewer.ts'
import { MailRejected } from '../mail-rejected.tsx'
import { ZoneField } from './zone-form.tsx'

type Me = Outputs['accounts']['me']

/** Loads the settings, then shows the form. */
export function SettingsForm({ me }: { me: Me }) {
  const { data: settings } = trpc.notifications.settings.useQuery()
  const { data: people } = trpc.notifications.people.useQuery()
  const { data: digest } = trpc.insight.digest.useQuery()
  if (settings === undefined || people === undefined || digest === undefined) return null
  const { hasMail, ...notifications } = settings
  const saved = {
    name: me.name,
    timeZone: me.timeZone,
    partnerZone: me.partner?.timeZone ?? null,
    notifications,
    ids: people.flatMap(({ id, isConfirmed }) => (isConfirmed ? id : [])),
    hasDigest: digest.isOn,
  }
  // Remount the form only when saved settings change.
  return <Fields key={JSON.stringify(saved)} me={me} saved={saved} people={people} hasMail={hasMail} />
}

interface Saved {
  name: string
  timeZone: string | null
  partnerZone: string | null
  notifications: NotificationChoice
  /** IDs by which deals refer to the user. */
  ids: number[]
  hasDigest: boolean
}

interface Change {
  me: Me
  chosen: Saved
  change: (part: Partial<Saved>) => void
  people: Outputs['notifications']['people']
  hasMail: boolean
}

/** Returns a function that saves the changed settings, and its state. */
function useSave(saved: Saved) {
  const router = useRouter()
  const utils = trpc.useUtils()
  const rename = trpc.accounts.rename.useMutation()
  const own = trpc.accounts.setTimeZone.useMutation()
  const ofPartner = trpc.accounts.setPartnerTimeZone.useMutation()
  const settings = trpc.notifications.setSettings.useMutation()
  const people = trpc.notifications.confirmPeople.useMutation()
  const digest = trpc.insight.setDigest.useMutation()
  const all = [rename, own, ofPartner, settings, people, digest]
  const failed = all.find(({ error }) => error !== null)?.error ?? null
  async function save(next: Saved): Promise<void> {
    all.forEach(({ reset }) => reset())
    const differs = (key: keyof Saved) => JSON.stringify(next[key]) !== JSON.stringify(saved[key])
    try {
      if (differs('name')) await rename.mutateAsync({ name: next.name })
      if (differs('timeZone')) await own.mutateAsync({ timeZone: next.timeZone })
      if (differs('partnerZone')) await ofPartner.mutateAsync({ timeZone: next.partnerZone })
      if (differs('notifications')) await settings.mutateAsync(next.notifications)
      if (differs('ids')) await people.mutateAsync({ ids: next.ids })
      if (differs('hasDigest')) await digest.mutateAsync({ isOn: next.hasDigest })
      toast.success('Changes saved.')
    } catch {
      // The form shows the error.
      return
    }
    // The layout shows the user's name, and the server renders times in the user's zone.
    router.refresh()
    await Promise.all(
      [utils.accounts.me, utils.notifications, utils.insight.digest].map((each) => each.invalidate()),
    )
  }
  return { save, isSaving: all.some(({ isPending }) => isPending), problem: failed && failureMessage(failed) }
}

function Fields({ me, saved, people, hasMail }: Omit<Change, 'chosen' | 'change'> & { saved: Saved }) {
  const [chosen, choose] = useState(saved)
  const [nameError, setNameError] = useState<string>()
  const change = (part: Partial<Saved>) => choose({ ...chosen, ...part })
  const { save, isSaving, problem } = useSave(saved)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const { data } = Rename.safeParse({ name: chosen.name })
        setNameError(data === undefined ? 'Enter a name of at most 100 characters.' : undefined)
        if (data === undefined) event.currentTarget.querySelector<HTMLElement>('[name=name]')?.focus()
        else if (!isSaving) void save({ ...chosen, ...data })
      }}
    >
      <Panel
        title="Profile"
        about="Visible to your colleagues. Days and times in the portal follow your zone."
      >
        <div className="flex max-w-md flex-col gap-5">
          <p className="wrap-anywhere">
            {me.email} · {roleLabels[me.role]}
            {me.partner !== null && ` at ${me.partner.name}`}
          </p>
          <TextField
            label="Name"
            name="name"
            autoComplete="name"
            value={chosen.name}
            onChange={({ target }) => change({ name: target.value })}
            error={nameError}
          />
          <Zones me={me} chosen={chosen} change={change} />
        </div>
      </Panel>
      <div id="notifications" className="scroll-mt-20">
        <Panel title="Notifications" about="Which updates you get, and when.">
          <MailRejected />
          <Updates me={me} chosen={chosen} change={change} people={people} hasMail={hasMail} />
        </Panel>
      </div>
      <div className="mb-6 flex flex-col items-start gap-3">
        <FormProblem problem={problem} />
        <SubmitButton busy={isSaving}>Save changes</SubmitButton>
      </div>
    </form>
  )
}

/** Lets the user choose which updates to get. */
function Updates({ me, chosen, change, people, hasMail }: Change) {
  return (
    <div className="flex max-w-md flex-col gap-5">
      <NotificationFields
        chosen={chosen.notifications}
        change={(part) => change({ notifications: { ...chosen.notifications, ...part } })}
        hasMail={hasMail}
      />
      {me.role !== 'operator' && (
        <CheckField
          label={`Weekly digest, an e-mail on Monday at 7 AM${hasMail ? '' : ' (this installation does not send e-mail yet)'}`}
          checked={chosen.hasDigest}
          onChange={({ target }) => change({ hasDigest: target.checked })}
        />
      )}
      <OwnDeals people={people} ids={chosen.ids} set={(ids) => change({ ids })} />
    </div>
  )
}

/** Lets the user choose a time zone and, as an admin, the partner's time zone. */
function Zones({ me: { partner, role }, chosen, change }: Pick<Change, 'me' | 'chosen' | 'change'>) {
  return (
    <>
      <ZoneField
        label="Your time zone"
        defaultText={zoneLabel(partner?.zone ?? 'UTC')}
        timeZone={chosen.timeZone}
        onChange={(timeZone) => change({ timeZone })}
      />
      {isAdmin(role) && partner !== null && (
        <ZoneField
          label={`Default time zone of ${partner.name}`}
          defaultText={`${zoneLabel(partner.usualZone)}, where most deals are`}
          timeZone={chosen.partnerZone}
          onChange={(partnerZone) => change({ partnerZone })}
        />
      )}
    </>
  )
}

type NotificationChoice = Omit<Outputs['notifications']['settings'], 'hasMail'>

const kindLabels: Record<NotificationKind, string> = {
  stage: 'Stage changes, and deals entering or leaving a view you follow',
  dates: 'Dates: set, changed, or tomorrow',
  late: 'Late, or no longer late',
  items: 'Outstanding items changed',
  files: 'File added',
  messages: 'Answers, mentions and assignments',
}

const scheduleLabels: Record<Schedule, string> = {
  'at-once': 'Right away',
  daily: 'Once a day',
  monday: 'Monday morning',
}

/** Lets the user choose notifications, their schedule and their channels. */
function NotificationFields({
  chosen,
  change,
  hasMail,
}: {
  chosen: NotificationChoice
  change: (part: Partial<NotificationChoice>) => void
  hasMail: boolean
}) {
  const zone = useZone()
  return (
    <>
      <fieldset className="grid gap-2.5 pointer-coarse:gap-0">
        <legend className="mb-2.5 font-medium">On deals you follow</legend>
        {(Object.keys(kindLabels) as NotificationKind[]).map((kind) => (
          <CheckField
            key={kind}
            label={kindLabels[kind]}
            checked={chosen[kind]}
            onChange={({ target }) => change({ [kind]: target.checked })}
          />
        ))}
      </fieldset>
      {hasMail && (
        <CheckField
          label="Send notifications by e-mail"
          checked={chosen.byMail}
          onChange={({ target }) => change({ byMail: target.checked })}
        />
      )}
      <SelectField
        label="When to send them"
        choices={Object.entries(scheduleLabels).map(([value, label]) => ({ value, label }))}
        value={chosen.schedule}
        onChange={({ target }) => change({ schedule: target.value as Schedule })}
      />
      {chosen.schedule === 'at-once' && (
        <CheckField
          label="Also between 9 PM and 7 AM"
          checked={chosen.atNight}
          onChange={({ target }) => change({ atNight: target.checked })}
        />
      )}
      {chosen.schedule === 'daily' && (
        <SelectField
          label={`Hour (${zoneLabel(zone)})`}
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

/** Suggests people in deals who may be the user. The user follows the deals of all checked people. */
function OwnDeals({
  people,
  ids,
  set,
}: {
  people: Outputs['notifications']['people']
  ids: readonly number[]
  set: (ids: number[]) => void
}) {
  return (
    <fieldset>
      <legend className="font-medium">Deals that name you</legend>
      <p className="mt-1 mb-3 text-pretty text-ink-soft">
        {people.length === 0
          ? 'No deal names your e-mail address or name. You can follow individual deals and views.'
          : 'Select the ones that are you to follow all their deals.'}
      </p>
      <div className="grid gap-2.5 pointer-coarse:gap-0">
        {people.map(({ id, name, email, dealCount }) => (
          <CheckField
            key={id}
            label={[name, email, formatCountOf(dealCount, 'deal')].filter(Boolean).join(' · ')}
            checked={ids.includes(id)}
            onChange={({ target }) => set(target.checked ? [...ids, id] : ids.filter((each) => each !== id))}
          />
        ))}
      </div>
    </fieldset>
  )
}
