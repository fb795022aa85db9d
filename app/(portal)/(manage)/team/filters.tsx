'use client'

import { useQueryStates } from 'nuqs'
import { SelectField } from '#app/ui/select-field.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { teamParsers } from './query.ts'

/** Shows the filters of the accounts. `choices` are the partners that can be selected, null when there is only one. */
export function TeamFilters({ choices }: { choices: { value: string; label: string }[] | null }) {
  const [state, setState] = useQueryStates(teamParsers)
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2">
      <TextField
        label="Name or e-mail"
        type="search"
        value={state.q}
        onChange={({ target }) => void setState({ q: target.value.slice(0, 100) })}
      />
      {choices !== null && (
        <SelectField
          label="Partner"
          choices={[{ value: '', label: 'All' }, ...choices]}
          value={state.of}
          onChange={({ target }) => void setState({ of: target.value })}
        />
      )}
    </div>
  )
}
