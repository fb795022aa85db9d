import { type ReactNode, useState } from 'react'

/** A collapsible part, rendered only while open. Opening it closes others with the same `name`. */
export function Fold({
  title,
  name,
  className = 'touch w-fit rounded-lg py-1.5 font-semibold',
  children,
}: {
  title: ReactNode
  name?: string
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
