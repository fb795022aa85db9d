import type { ComponentProps } from 'react'
import { button } from '#app/ui/button.ts'

/** A button in a table row. Screen readers also read the row's name. */
export function RowButton({
  busy,
  name,
  children,
  ...rest
}: ComponentProps<'button'> & { busy: boolean; name: string }) {
  return (
    <button type="button" aria-busy={busy} {...rest} className={`${button.plain} aria-busy:opacity-70`}>
      {children}
      <span className="sr-only"> {name}</span>
    </button>
  )
}
