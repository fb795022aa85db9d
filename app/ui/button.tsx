import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'

/** A button. `about` is read by screen readers only, for instance the name of the row. */
export function Button({
  look = 'plain',
  busy = false,
  about,
  className = '',
  onClick,
  children,
  ...rest
}: ComponentProps<'button'> & { look?: keyof typeof button; busy?: boolean; about?: string }) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy}
      // While busy, ignore clicks, including those caused by Enter in a form. Disabling the button would lose
      // the focus.
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={`${button[look]} aria-busy:opacity-70 ${className}`}
    >
      {busy && <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />}
      {children}
      {about !== undefined && <span className="sr-only"> {about}</span>}
    </button>
  )
}

/** Submits a form. */
export const SubmitButton = (props: ComponentProps<typeof Button>) => (
  <Button type="submit" look="primary" {...props} />
)

const base =
  'inline-flex items-center justify-center gap-2 touch rounded-lg px-3.5 font-medium whitespace-nowrap transition-colors disabled:opacity-60 print:hidden'

/** Styles of buttons and of links that look like buttons. Buttons are not printed. */
export const button = {
  primary: `${base} h-10 bg-accent text-on-accent hover:bg-accent-strong`,
  /** For buttons whose action cannot be undone. */
  danger: `${base} h-10 bg-bad text-surface hover:opacity-90`,
  plain: `${base} h-9 border border-line bg-surface text-ink hover:bg-sunken`,
  /** For buttons that open a confirmation dialog for such an action. */
  remove: `${base} h-9 border border-line bg-surface text-bad hover:bg-bad-soft`,
}
