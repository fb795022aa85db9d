import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'

/** Shows the button that opens the account menu. */
export function AccountButton({ name, ...button }: { name: string } & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      aria-haspopup="menu"
      {...button}
      className="touch flex h-9 items-center justify-center gap-2 rounded-full p-1 hover:bg-sunken data-[state=open]:bg-sunken sm:pr-2"
    >
      <span
        aria-hidden="true"
        className="grid size-7 place-items-center rounded-full bg-accent text-xs font-semibold text-on-accent uppercase"
      >
        {initialsOf(name)}
      </span>
      <span className="sr-only">Account: {name}</span>
      <ChevronDown aria-hidden="true" className="size-4 text-ink-soft max-sm:hidden" />
    </button>
  )
}

/** Returns the initials of the first and last word of a name. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  return [...new Set([words[0], words.at(-1)])].map((word) => [...(word ?? '')][0] ?? '').join('')
}
