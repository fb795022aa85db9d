import { CircleAlert } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'

/** The style of a text input. 16 px on phones, because iOS zooms in on smaller text. */
const control =
  'h-11 w-full rounded-lg border border-control bg-surface px-3 text-base sm:h-10 sm:text-sm aria-invalid:border-bad'

/** A labelled text input with an error or hint below. */
export function TextField({
  label,
  hint,
  error,
  inside,
  className = '',
  ...input
}: ComponentProps<'input'> & {
  label: string
  hint?: string | undefined
  error?: string | undefined
  /** Shown inside the field at its right end. */
  inside?: ReactNode
}) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="w-fit font-medium">
        {label}
      </label>
      <div className="relative">
        <input
          id={id}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={note === undefined ? undefined : `${id}-note`}
          {...input}
          className={`${control} ${className}`}
        />
        {inside}
      </div>
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={error === undefined ? 'text-pretty text-ink-soft' : 'flex gap-1.5 text-pretty text-bad'}
        >
          {error !== undefined && <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />}
          {note}
        </p>
      )}
    </div>
  )
}
