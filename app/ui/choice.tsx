import type { ComponentProps } from 'react'

/** A button that stays pressed while `isOn` is true. */
export const ToggleButton = ({
  isOn,
  className = '',
  ...button
}: ComponentProps<'button'> & { isOn: boolean }) => (
  <button
    type="button"
    aria-pressed={isOn}
    {...button}
    className={`h-8 rounded-lg border border-line px-2.5 hover:bg-sunken aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-accent ${className}`}
  />
)

/** A row of radio buttons with a label. */
export function RadioField<Value extends string>({
  label,
  name,
  choices,
  value,
  onChange,
  className = '',
}: {
  label: string
  name: string
  choices: Readonly<Record<Value, string>>
  value: Value
  onChange: (value: Value) => void
  className?: string
}) {
  return (
    <fieldset className={`flex items-center justify-between gap-3 ${className}`}>
      <legend className="float-left contents">
        <span className="min-w-0 flex-1">{label}</span>
      </legend>
      <div className="flex rounded-lg border border-line p-0.5">
        {(Object.entries(choices) as [Value, string][]).map(([choice, text]) => (
          <label
            key={choice}
            className="relative touch flex cursor-pointer items-center justify-center rounded-md px-2.5 py-0.5 font-normal text-ink-soft select-none has-checked:bg-sunken has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              checked={choice === value}
              onChange={() => onChange(choice)}
              className="absolute inset-0 size-full cursor-pointer opacity-0"
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
