import type { inferRouterOutputs } from '@trpc/server'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { useZone } from '#app/ui/times.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { Api } from '#server/api.ts'
import type { NotificationKind } from '#server/notifications/notification.ts'
import type { Schedule } from '#server/notifications/when.ts'

type Outputs = inferRouterOutputs<Api>['notifications']
export type NotificationChoice = Omit<Outputs['settings'], 'hasMail'>

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
export function NotificationFields({
  chosen,
  change,
  hasMail,
}: {
  chosen: NotificationChoice
  change: (part: Partial<NotificationChoice>) => void
  hasMail: boolean
}) {
  return (
    <>
      <fieldset className="grid gap-2.5 pointer-coarse:gap-0">
        <legend className="mb-2.5 font-medium">On deals you follow</legend>
        {(Object.keys(kindLabels) as NotificationKind[]).map((kind) => (
          <Switch key={kind} isOn={chosen[kind]} set={(isOn) => change({ [kind]: isOn })}>
            {kindLabels[kind]}
          </Switch>
        ))}
      </fieldset>
      {hasMail && (
        <Switch isOn={chosen.byMail} set={(byMail) => change({ byMail })}>
          Send notifications by e-mail
        </Switch>
      )}
      <ScheduleFields chosen={chosen} change={change} />
    </>
  )
}

function ScheduleFields({
  chosen,
  change,
}: {
  chosen: NotificationChoice
  change: (part: Partial<NotificationChoice>) => void
}) {
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

/** Shows a checkbox with a label. */
export function Switch({
  isOn,
  set,
  children,
}: {
  isOn: boolean
  set: (isOn: boolean) => void
  children: string
}) {
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

/** Suggests people in deals who may be the user. The user follows the deals of all checked people. */
export function OwnDeals({
  people,
  ids,
  set,
}: {
  people: Outputs['people']
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
          <Switch
            key={id}
            isOn={ids.includes(id)}
            set={(isOn) => set(isOn ? [...ids, id] : ids.filter((each) => each !== id))}
          >
            {`${[name, email].filter((text) => text !== '').join(' · ')} · ${formatCountOf(dealCount, 'deal')}`}
          </Switch>
        ))}
      </div>
    </fieldset>
  )
}
