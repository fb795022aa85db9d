import { type ReactNode, useState } from 'react'

/**
 * A collapsible part of the page, rendered only while open. Opening a part closes others with the same
 * `name`.
 */
export function Fold({
  title,
  name,
  className = 'touch w-fit rounded-lg py-1.5 font-semibold',
  children,
}: {
  title: ReactNode
  name?: string
  /** CSS classes of the title. */
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
