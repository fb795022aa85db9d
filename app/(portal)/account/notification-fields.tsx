import type { Outputs } from '#app/trpc.ts'
import { CheckField, SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { useZone } from '#app/ui/times.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { NotificationKind } from '#server/notifications/notification.ts'
import type { Schedule } from '#server/notifications/when.ts'

export type NotificationChoice = Omit<Outputs['notifications']['settings'], 'hasMail'>

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
export function OwnDeals({
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
