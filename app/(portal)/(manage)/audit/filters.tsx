import { SelectField } from '#app/ui/select-field.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { type Action, actions, isAction, isOfPartner } from '#server/audit/action.ts'
import { actionLabel } from './action-label.ts'
import type { AuditState } from './query.ts'

const choicesOf = (shown: Action[]) => [
  { value: '', label: 'Any action' },
  ...shown
    .map((action) => ({ value: action, label: actionLabel(action) }))
    .toSorted((a, b) => a.label.localeCompare(b.label)),
]
const all = Object.keys(actions) as Action[]
const choices = choicesOf(all)
const choicesOfPartner = choicesOf(all.filter(isOfPartner))

/** Shows the filters of the audit log, of all partners or of one. */
export function AuditFilters({
  isOfAll,
  state,
  onChange,
}: {
  isOfAll: boolean
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
        choices={isOfAll ? choices : choicesOfPartner}
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
