'use client'

import dynamic from 'next/dynamic'
import { type ComponentProps, type ComponentType, type ReactNode, useRef, useState } from 'react'
import { PartBoundary } from './failure.tsx'
import { lazyPart } from './load-part.ts'

const load = () => import('./popover-content.tsx')
const loadEarly = () => void load().catch(() => {})

/** Returns the content of a popover, whose code loads when the popover is first opened. */
export const lazyContent = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  lazyPart(load, () => (
    <p role="status" className="p-4 text-ink-soft">
      Loading…
    </p>
  ))

const PopoverContent = dynamic(() => load().then((module) => module.PopoverContent), { ssr: false })

/** A popover below its trigger, which is a button with the given props. `label` is for screen readers. */
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
  const [isLoaded, setLoaded] = useState(false)
  const anchor = useRef<HTMLButtonElement>(null)
  const close = () => setOpen(false)
  return (
    <>
      {trigger({
        ref: anchor,
        'aria-haspopup': 'dialog',
        'aria-expanded': isOpen,
        'aria-busy': isOpen && !isLoaded,
        onClick() {
          setOpen(!isOpen)
          const settle = () => setLoaded(true)
          void load().then(settle, settle)
        },
        onPointerEnter: loadEarly,
        onFocus: loadEarly,
      })}
      {isOpen && (
        <PartBoundary onClose={close}>
          <PopoverContent anchor={anchor} label={label} align={align} onClose={close}>
            {typeof children === 'function' ? children(close) : children}
          </PopoverContent>
        </PartBoundary>
      )}
    </>
  )
}
