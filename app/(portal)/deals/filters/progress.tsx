import { SelectField } from '#app/ui/fields.tsx'
import { type Filter, type FilterParam, filters, markNames, marks } from '#server/deals/find/filters.ts'
import type { Patch } from '../active-filters.ts'
import type { FilterState } from '../query.ts'

const buttons = markNames.flatMap((value) => {
  const { button: label } = marks[value]
  return label === undefined ? [] : [{ value, label }]
})

const selects = Object.entries<Filter>(filters).flatMap(([name, filter]) =>
  filter.kind === 'names' && filter.select !== undefined
    ? [
        {
          name: name as FilterParam,
          label: filter.select,
          choices: Object.entries(filter.names).map(([value, label]) => ({ value, label })),
        },
      ]
    : [],
)

/** Filters by progress: open, late, lost, my deals, next step and payment gate. */
export function ProgressFilters({ state, change }: { state: FilterState; change: (patch: Patch) => void }) {
  return (
    <>
      <div role="group" aria-label="Only deals that are" className="flex flex-wrap gap-1.5">
        {buttons.map(({ value, label }) => (
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
        {selects.map(({ name, label, choices }) => (
          <SelectField
            key={name}
            label={label}
            choices={[{ value: '', label: 'Any' }, ...choices]}
            value={(state[name] as string[])[0] ?? ''}
            onChange={({ target }) =>
              change({ [name]: target.value === '' ? null : [target.value] } as Patch)
            }
          />
        ))}
      </div>
    </>
  )
}
