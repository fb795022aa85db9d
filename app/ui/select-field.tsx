import { CircleAlert } from 'lucide-react'
import { type ComponentProps, useId } from 'react'

/** A labelled select with an error below. */
export function SelectField({
  label,
  isLabelShown = true,
  choices,
  error,
  className = '',
  ...select
}: ComponentProps<'select'> & {
  label: string
  /** Otherwise only screen readers read it. */
  isLabelShown?: boolean
  choices: readonly { value: string; label: string }[]
  error?: string | undefined
}) {
  const id = useId()
  return (
    <div className={`flex min-w-0 flex-col gap-1.5 ${className}`}>
      <label htmlFor={id} className={isLabelShown ? 'w-fit font-medium' : 'sr-only'}>
        {label}
      </label>
      <select
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-note`}
        {...select}
        className="h-11 w-full min-w-0 rounded-lg border border-control bg-surface px-3 text-base sm:h-10 sm:text-sm aria-invalid:border-bad"
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {error !== undefined && (
        <p id={`${id}-note`} className="flex gap-1.5 text-pretty text-bad">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {error}
        </p>
      )}
    </div>
  )
}
