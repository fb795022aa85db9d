import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { button } from './button-styles.ts'

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

/** A button that shows only an icon. `label` is its name for screen readers. */
export const IconButton = ({
  icon: Icon,
  label,
  iconLook = 'size-4',
  className = '',
  ...rest
}: ComponentProps<'button'> & { icon: LucideIcon; label: string; iconLook?: string }) => (
  <button
    type="button"
    aria-label={label}
    {...rest}
    className={`grid place-items-center text-ink-soft hover:bg-sunken hover:text-ink ${className}`}
  >
    <Icon aria-hidden="true" className={iconLook} />
  </button>
)

/** Submits a form. */
export const SubmitButton = (props: ComponentProps<typeof Button>) => (
  <Button type="submit" look="primary" {...props} />
)
