import { SelectField } from '#app/ui/select-field.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { actions, isAction } from '#server/audit/action.ts'
import { actionLabel } from './action-label.ts'
import type { AuditState } from './query.ts'

const choices = [
  { value: '', label: 'Any action' },
  ...Object.keys(actions)
    .map((action) => ({ value: action, label: actionLabel(action) }))
    .toSorted((a, b) => a.label.localeCompare(b.label)),
]

/** Shows the filters of the audit log. */
export function AuditFilters({
  state,
  onChange,
}: {
  state: AuditState
  onChange: (patch: Partial<AuditState>) => void
}) {
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <TextField
        label="Actor or target"
        type="search"
        value={state.q}
        onChange={({ target }) => onChange({ q: target.value.slice(0, 200) })}
      />
      <SelectField
        label="Action"
        choices={choices}
        value={state.action ?? ''}
        onChange={({ target: { value } }) => onChange({ action: isAction(value) ? value : null })}
      />
      <TextField
        label="From"
        type="date"
        value={state.from ?? ''}
        onChange={({ target }) => onChange({ from: target.value || null })}
      />
      <TextField
        label="To"
        type="date"
        value={state.to ?? ''}
        onChange={({ target }) => onChange({ to: target.value || null })}
      />
    </div>
  )
}
