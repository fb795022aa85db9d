'use client'

import { Ellipsis, type LucideIcon } from 'lucide-react'
import * as Radix from 'radix-ui/dropdown-menu'
import { type ReactNode, type RefObject, createContext, use, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { canRestoreFocus } from './keyboard.tsx'
import { Link } from './link.tsx'

const Chosen = createContext<RefObject<(() => void) | null>>({ current: null })

/** A menu below its trigger (an element that takes a ref). Does not open while `busy`. */
export function Menu({
  trigger,
  isOpenFirst = false,
  busy = false,
  children,
}: {
  trigger: ReactNode
  isOpenFirst?: boolean
  busy?: boolean
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(isOpenFirst)
  const chosen = useRef<(() => void) | null>(null)
  const triggerRef = useRef<HTMLButtonElement>(null)
  return (
    // Not modal: a modal menu would hide the scroll bar and shift the page.
    <Radix.Root modal={false} open={isOpen} onOpenChange={(next) => setOpen(next && !busy)}>
      <Radix.Trigger ref={triggerRef} asChild>
        {trigger}
      </Radix.Trigger>
      {/* Rendered next to the trigger, so that both are in the same part of the page. */}
      <Radix.Content
        align="end"
        sideOffset={6}
        collisionPadding={8}
        onCloseAutoFocus={(event) => {
          if (!canRestoreFocus(triggerRef.current)) event.preventDefault()
          const act = chosen.current
          chosen.current = null
          // Run the action after the trigger has the focus again: a dialog opened by the action returns the
          // focus there.
          if (act !== null) queueMicrotask(act)
        }}
        className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-60 max-w-80 animate-appear overflow-y-auto rounded-xl border border-line bg-surface p-1.5 shadow-lg outline-none"
      >
        <Chosen value={chosen}>{children}</Chosen>
      </Radix.Content>
    </Radix.Root>
  )
}

/** The actions menu of a row. `about`, the name of the row, is for screen readers. */
export function RowMenu({
  about,
  busy = false,
  children,
}: {
  about: string
  busy?: boolean
  children: ReactNode
}) {
  return (
    // In narrow windows, the menu is in the top right corner of a card.
    <div className="flex justify-end max-sm:in-[tr]:absolute max-sm:in-[tr]:top-2 max-sm:in-[tr]:right-2">
      <Menu
        busy={busy}
        trigger={
          <Button aria-label={`Actions for ${about}`} busy={busy} className="px-2">
            {/* As high as text, which aligns the button with the baseline of the row. */}
            {!busy && (
              <span aria-hidden="true">
                <Ellipsis className="inline size-4" />
              </span>
            )}
          </Button>
        }
      >
        {children}
      </Menu>
    </div>
  )
}

const item =
  'touch flex h-9 items-center gap-2.5 rounded-lg px-2.5 outline-none select-none data-highlighted:bg-sunken'

/** A menu item that links to a page. */
export function MenuLink({
  icon: Icon,
  href,
  children,
}: {
  icon: LucideIcon
  href: string
  children: ReactNode
}) {
  return (
    <Radix.Item asChild>
      <Link href={href} className={item}>
        <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
        {children}
      </Link>
    </Radix.Item>
  )
}

/** A menu item whose action runs after the menu has closed. `about` is for screen readers. */
export function MenuItem({
  icon: Icon,
  about,
  hint,
  isDestructive = false,
  onSelect,
  children,
}: {
  icon: LucideIcon
  about?: string
  hint?: ReactNode
  isDestructive?: boolean
  onSelect: () => void
  children: ReactNode
}) {
  const chosen = use(Chosen)
  return (
    <Radix.Item
      onSelect={() => {
        chosen.current = onSelect
      }}
      className={isDestructive ? `${item} text-bad` : item}
    >
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${isDestructive ? '' : 'text-ink-soft'}`} />
      {children}
      {about !== undefined && <span className="sr-only"> {about}</span>}
      {hint !== undefined && <span className="ml-auto pl-6">{hint}</span>}
    </Radix.Item>
  )
}

export const MenuLine = () => <Radix.Separator className="-mx-1.5 my-1.5 h-px bg-line" />
