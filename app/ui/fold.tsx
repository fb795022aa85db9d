import { type ReactNode, useState } from 'react'

/** A part of the page that is rendered while it is open. Opening one closes others of the same `name`. */
export function Fold({
  title,
  name,
  className = 'touch w-fit rounded-lg py-1.5 font-semibold',
  children,
}: {
  title: ReactNode
  name?: string
  /** The style of the title. */
  className?: string
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details name={name} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={className}>{title}</summary>
      {isOpen && children}
    </details>
  )
}
