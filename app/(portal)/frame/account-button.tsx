import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { initialsOf } from './initials.ts'

/** Opens the menu of whoever is signed in. */
export function AccountButton({ name, ...button }: { name: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-haspopup="menu"
      {...button}
      className="flex h-9 items-center gap-2 rounded-full p-1 hover:bg-sunken data-[state=open]:bg-sunken sm:pr-2"
    >
      <span
        aria-hidden="true"
        className="grid size-7 place-items-center rounded-full bg-accent text-xs font-semibold text-on-accent uppercase"
      >
        {initialsOf(name)}
      </span>
      <span className="sr-only">Account of {name}</span>
      <ChevronDown aria-hidden="true" className="size-4 text-ink-soft max-sm:hidden" />
    </button>
  )
}
