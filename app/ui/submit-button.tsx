import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { button } from './button.ts'

/** Submits a form. Not disabled while busy, because disabling would take the focus away. */
export function SubmitButton({
  busy,
  look = 'primary',
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & { busy: boolean; look?: keyof typeof button }) {
  return (
    <button
      type="submit"
      aria-busy={busy}
      {...rest}
      className={`${button[look]} aria-busy:opacity-70 ${className}`}
    >
      {busy && <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />}
      {children}
    </button>
  )
}
