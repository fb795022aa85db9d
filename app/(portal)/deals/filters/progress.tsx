import { SelectField } from '#app/ui/fields.tsx'
import { courseMilestones, milestoneOf } from '#server/deals/milestones/milestone.ts'
import { fieldHolds, openGates } from '#server/deals/milestones/money.ts'
import type { Patch } from '../active-filters.ts'
import { gateLabels, holdLabels } from '../money-labels.ts'
import type { FilterState } from '../query.ts'

const marks = [
  { value: 'open', label: 'Open' },
  { value: 'late', label: 'Late' },
  { value: 'lost', label: 'Lost' },
  { value: 'mine', label: 'Mine' },
] as const

const lists = [
  {
    name: 'todo',
    label: 'Step to do',
    choices: courseMilestones.map((value) => ({ value, label: milestoneOf(value).label })),
  },
  { name: 'gate', label: 'Money', choices: openGates.map((value) => ({ value, label: gateLabels[value] })) },
  {
    name: 'hold',
    label: 'Waiting on',
    choices: fieldHolds.map((value) => ({ value, label: holdLabels[value] })),
  },
] as const

/** Filters by progress: open, late, lost, my deals, next step and payment gate. */
export function ProgressFilters({ state, change }: { state: FilterState; change: (patch: Patch) => void }) {
  return (
    <>
      <div role="group" aria-label="Only deals that are" className="flex flex-wrap gap-1.5">
        {marks.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={state.is.includes(value)}
            onClick={() =>
              change({
                is: state.is.includes(value)
                  ? state.is.filter((each) => each !== value)
                  : [...state.is, value],
              })
            }
            className="h-8 flex-1 rounded-lg border border-line px-2.5 hover:bg-sunken aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-accent"
          >
            {label}
          </button>
        ))}
      </div>
      <div className="grid grid-cols-2 gap-3">
        {lists.map(({ name, label, choices }) => (
          <SelectField
            key={name}
            label={label}
            choices={[{ value: '', label: 'Any' }, ...choices]}
            value={state[name][0] ?? ''}
            onChange={({ target }) =>
              change({ [name]: target.value === '' ? null : [target.value] } as Patch)
            }
          />
        ))}
      </div>
    </>
  )
}
