'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, SelectField } from '#app/ui/fields.tsx'

/** Lets the user choose a time zone; the first choice is the default, which is null: `defaultText` says which. */
export function ZoneForm({
  label,
  defaultText,
  timeZone,
  isBusy,
  problem,
  onSave,
}: {
  label: string
  defaultText: string
  timeZone: string | null
  isBusy: boolean
  problem: string | null
  onSave: (timeZone: string | null) => void
}) {
  const { data: zones = [] } = trpc.accounts.timeZones.useQuery(undefined, { staleTime: Infinity })
  const [chosen, choose] = useState(timeZone ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSave(chosen === '' ? null : chosen)
      }}
      className="flex max-w-sm flex-col gap-4"
    >
      <FormProblem problem={problem} />
      <SelectField
        // A select would stay at its first option if the options came later.
        key={zones.length}
        label={label}
        hint={`Default: ${defaultText}`}
        choices={[{ value: '', label: 'Default' }, ...zones]}
        value={chosen}
        onChange={({ target }) => choose(target.value)}
      />
      <SubmitButton busy={isBusy} className="self-start">
        Save time zone
      </SubmitButton>
    </form>
  )
}
