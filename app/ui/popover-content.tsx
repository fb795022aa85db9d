'use client'

import * as Radix from 'radix-ui/popover'
import { type ReactNode, type RefObject, Suspense } from 'react'

/** Shows the content of an open popover. */
export function PopoverContent({
  anchor,
  label,
  align,
  onClose,
  children,
}: {
  anchor: RefObject<HTMLButtonElement | null>
  label: string
  align: 'start' | 'end'
  onClose: () => void
  children: ReactNode
}) {
  return (
    <Radix.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
    >
      <Radix.Anchor virtualRef={anchor as RefObject<HTMLButtonElement>} />
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          // The trigger handles its own clicks.
          onInteractOutside={(event) => {
            if (anchor.current?.contains(event.target as Node)) event.preventDefault()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (document.activeElement === document.body) anchor.current?.focus()
          }}
          className="z-40 flex max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-1rem)] animate-appear flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-lg outline-none"
        >
          <Suspense>{children}</Suspense>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
