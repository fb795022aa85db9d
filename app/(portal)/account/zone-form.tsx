'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'

interface ZoneProps {
  label: string
  /** Label of the default zone. */
  defaultText: string
  /** Null for the default zone. */
  timeZone: string | null
}

/** Lets the user choose a time zone. The first option is the default. */
export function ZoneField({
  label,
  defaultText,
  timeZone,
  onChange,
}: ZoneProps & { onChange: (timeZone: string | null) => void }) {
  const { data: zones = [] } = trpc.accounts.timeZones.useQuery(undefined, { staleTime: Infinity })
  return (
    <SelectField
      // Remount the select when the options have loaded: otherwise it would stay at the first option.
      key={zones.length}
      label={label}
      hint={`Default: ${defaultText}`}
      choices={[{ value: '', label: 'Default' }, ...zones]}
      value={timeZone ?? ''}
      onChange={({ target }) => onChange(target.value || null)}
    />
  )
}

/** Shows a form with a time zone. */
export function ZoneForm({
  isBusy,
  problem,
  onSave,
  ...zone
}: ZoneProps & { isBusy: boolean; problem: string | null; onSave: (timeZone: string | null) => void }) {
  const [timeZone, choose] = useState(zone.timeZone)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSave(timeZone)
      }}
      className="flex max-w-sm flex-col gap-4"
    >
      <FormProblem problem={problem} />
      <ZoneField {...zone} timeZone={timeZone} onChange={choose} />
      <SubmitButton busy={isBusy} className="self-start">
        Save time zone
      </SubmitButton>
    </form>
  )
}
