import { useId } from 'react'
import { CheckField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'

/** Shows a group of checkboxes from which any number of values can be selected. */
export function CheckList<Value extends string>({
  legend,
  values,
  labelOf = (value) => value,
  hintOf,
  chosen,
  problem,
  onChange,
}: {
  legend: string
  values: readonly Value[]
  labelOf?: (value: Value) => string
  hintOf?: (value: Value) => string
  chosen: Value[]
  problem?: string | undefined
  onChange: (chosen: Value[]) => void
}) {
  const id = useId()
  return (
    <fieldset aria-describedby={problem === undefined ? undefined : id}>
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {values.map((value) => (
        <CheckField
          key={value}
          label={labelOf(value)}
          hint={hintOf?.(value)}
          className="py-1"
          name={legend}
          value={value}
          aria-invalid={problem !== undefined || undefined}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
          }
        />
      ))}
      <p id={id} role="alert" className="mt-1 text-bad empty:hidden">
        {problem}
      </p>
    </fieldset>
  )
}

/** Shows a progress bar; `value` is between 0 and 1, or null if unknown. */
export function ProgressBar({ label, value }: { label: string; value: number | null }) {
  const percent = value === null ? undefined : Math.floor(value * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      className="h-2 overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={`h-full rounded-full bg-accent transition-[width] ${percent === undefined ? 'w-1/4 animate-pulse' : ''}`}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  )
}

/** Shows the parts of a page as tabs, or as numbered steps. */
export function PartTabs<Name extends string>({
  label,
  names,
  titles,
  current,
  isNumbered = false,
  onOpen,
}: {
  label: string
  names: readonly Name[]
  titles: Readonly<Record<Name, string>>
  current: Name
  isNumbered?: boolean
  onOpen: (name: Name) => void
}) {
  const List = isNumbered ? 'ol' : 'ul'
  const currentValue = isNumbered ? 'step' : 'true'
  return (
    <nav aria-label={label} className="mb-5">
      <List className="flex flex-wrap gap-1">
        {names.map((name, index) => (
          <li key={name}>
            <button
              type="button"
              aria-current={name === current ? currentValue : undefined}
              onClick={() => onOpen(name)}
              className="touch h-9 rounded-lg px-3 text-ink-soft hover:bg-sunken aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
            >
              {isNumbered && `${index + 1}. `}
              {titles[name]}
            </button>
          </li>
        ))}
      </List>
    </nav>
  )
}

/** Links to the deals without a partner, with their number. */
export function WithoutPartner({ count }: { count: number }) {
  return (
    <Link href="/deals?of=" className="underline">
      {formatCountOf(count, 'deal')} without a partner
    </Link>
  )
}
