import { useId } from 'react'
import { CheckField } from '#app/ui/fields.tsx'

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
