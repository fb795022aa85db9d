import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** Shows an empty or failed state in the middle of a page, with an optional action. */
export function Notice({
  icon: Icon,
  title,
  level = 2,
  children,
  action,
}: {
  icon: LucideIcon
  title: string
  level?: 1 | 2
  children: ReactNode
  action?: ReactNode
}) {
  const Heading = `h${level}` as const
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-16 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-sunken text-ink-soft">
        <Icon aria-hidden="true" className="size-6" />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      <p className="mt-1.5 text-pretty text-ink-soft">{children}</p>
      {action !== undefined && <div className="mt-6">{action}</div>}
    </div>
  )
}
