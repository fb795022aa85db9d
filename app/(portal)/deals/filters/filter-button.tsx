import { ChevronDown, LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'

/** The button that opens a filter or menu and shows the number selected. */
export function FilterButton({
  label,
  count = 0,
  icon: Icon,
  isIconAlone = false,
  ...rest
}: ComponentProps<'button'> & {
  label: string
  count?: number
  icon?: LucideIcon
  /** Whether narrow windows show only the icon. */
  isIconAlone?: boolean
}) {
  const isBusy = rest['aria-busy'] === true
  const Arrow = isBusy ? LoaderCircle : ChevronDown
  return (
    <button
      type="button"
      {...rest}
      className={`flex h-9 touch shrink-0 items-center justify-center gap-1.5 rounded-lg border px-2.5 font-medium whitespace-nowrap hover:bg-sunken aria-expanded:bg-sunken ${count > 0 ? 'border-accent text-accent' : 'border-line bg-surface'}`}
    >
      {Icon !== undefined && <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />}
      <span className={isIconAlone ? 'max-w-40 truncate max-lg:sr-only' : ''}>{label}</span>
      {count > 0 && (
        <>
          <span
            aria-hidden="true"
            className="grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1 text-xs text-on-accent tabular-nums"
          >
            {count}
          </span>
          <span className="sr-only">, {count} selected</span>
        </>
      )}
      <Arrow
        aria-hidden="true"
        className={`size-3.5 shrink-0 opacity-70 ${isBusy ? 'animate-spin' : ''} ${isIconAlone && !isBusy ? 'max-lg:hidden' : ''}`}
      />
    </button>
  )
}
