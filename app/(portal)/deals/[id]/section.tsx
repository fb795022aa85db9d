import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'

export function DealSection({
  title,
  icon: Icon,
  aside,
  children,
}: {
  title: string
  icon: LucideIcon
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line bg-surface p-4 sm:p-5">
      <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id={id} className="flex items-center gap-2 font-semibold">
          <Icon aria-hidden="true" className="size-4 text-ink-soft" />
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Shows labels with values. Omits unknown values, and shows `none` if all are unknown. */
export function DealFacts({ facts, none }: { facts: { label: string; value: ReactNode }[]; none: string }) {
  const known = facts.filter(
    ({ value }) => value !== null && value !== undefined && value !== '' && value !== false,
  )
  if (known.length === 0) return <p className="text-ink-soft">{none}</p>
  return (
    <dl className="grid grid-cols-[minmax(4.5rem,auto)_minmax(0,1fr)] items-baseline gap-x-3 gap-y-2">
      {known.map(({ label, value }) => (
        <div key={label} className="contents">
          <dt className="max-w-36 text-ink-soft">{label}</dt>
          <dd className="min-w-0 whitespace-pre-line wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Starts and ends editing of a section. */
export const EditButton = ({
  isEditing,
  setEditing,
  children,
}: {
  isEditing: boolean
  setEditing: (isEditing: boolean) => void
  children: ReactNode
}) => (
  <button
    type="button"
    onClick={() => setEditing(!isEditing)}
    className="touch rounded text-ink-soft hover:text-ink hover:underline print:hidden"
  >
    {isEditing ? 'Done' : children}
  </button>
)
