import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { button } from './button.ts'

/** Sends a form. Not disabled while that is underway, which would take the focus from whoever works by keyboard. */
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
