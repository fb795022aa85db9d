'use client'

import dynamic from 'next/dynamic'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'

// Read when the pointer comes near, or else when it is first opened.
const load = () => import('./popover-content.tsx')
const PopoverContent = dynamic(() => load().then((module) => module.PopoverContent), { ssr: false })

/** What opens below its trigger, a button that is given these properties, and stays until it is left, or closes itself. `label` is read out. */
export function Popover({
  trigger,
  label,
  align = 'start',
  children,
}: {
  trigger: (props: ComponentProps<'button'>) => ReactNode
  label: string
  align?: 'start' | 'end'
  children: ReactNode | ((close: () => void) => ReactNode)
}) {
  const [isOpen, setOpen] = useState(false)
  const anchor = useRef<HTMLButtonElement>(null)
  const close = () => setOpen(false)
  return (
    <>
      {trigger({
        ref: anchor,
        'aria-haspopup': 'dialog',
        'aria-expanded': isOpen,
        onClick: () => setOpen(!isOpen),
        onPointerEnter: () => void load(),
        onFocus: () => void load(),
      })}
      {isOpen && (
        <PopoverContent anchor={anchor} label={label} align={align} onClose={close}>
          {typeof children === 'function' ? children(close) : children}
        </PopoverContent>
      )}
    </>
  )
}
