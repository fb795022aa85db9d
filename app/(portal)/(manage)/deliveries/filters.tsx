import { SelectField } from '#app/ui/select-field.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { endpointLabels, kinds } from '../webhooks/labels.ts'
import { states } from './labels.ts'
import type { DeliveriesState } from './query.ts'

type Choice<Name extends 'kind' | 'state' | 'within'> = NonNullable<DeliveriesState[Name]>

const times = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
]
const endpoints = [
  { value: '', label: 'Both endpoints' },
  ...kinds.map((kind) => ({ value: kind, label: endpointLabels[kind].label })),
]
const stateChoices = [
  { value: '', label: 'Any status' },
  ...Object.entries(states).map(([value, { label }]) => ({ value, label })),
]

/** Shows the filters of the deliveries. */
export function DeliveryFilters({
  state,
  onChange,
}: {
  state: DeliveriesState
  onChange: (patch: Partial<DeliveriesState>) => void
}) {
  return (
    <div role="group" aria-label="Filters" className="mb-4 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      <TextField
        label="Search"
        type="search"
        placeholder="Homeowner, deal ID or status code"
        value={state.q}
        onChange={({ target }) => onChange({ q: target.value.slice(0, 100) })}
      />
      <SelectField
        label="Status"
        choices={stateChoices}
        value={state.state ?? ''}
        onChange={({ target }) => onChange({ state: (target.value || null) as Choice<'state'> | null })}
      />
      <SelectField
        label="Endpoint"
        choices={endpoints}
        value={state.kind ?? ''}
        onChange={({ target }) => onChange({ kind: (target.value || null) as Choice<'kind'> | null })}
      />
      <SelectField
        label="Time"
        choices={times}
        value={state.within ?? ''}
        onChange={({ target }) =>
          onChange({ within: (target.value || null) as Choice<'within'> | null, hour: null })
        }
      />
    </div>
  )
}
