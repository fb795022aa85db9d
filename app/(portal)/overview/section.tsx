import { type ReactNode, useId } from 'react'
import { Link } from '#app/ui/link.tsx'

/** A section of the overview; `aside` is opposite the title. */
export function OverviewSection({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col rounded-xl border border-line bg-surface">
      <div className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside !== undefined && <div className="ml-auto text-ink-soft has-[select]:text-ink">{aside}</div>}
      </div>
      {children}
    </section>
  )
}

/** A link to a list, next to a section's title. */
export function AsideLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} prefetch={false} className="rounded font-medium text-accent hover:underline">
      {children}
    </Link>
  )
}

/** The style of a line that is a link. */
export const lineLink =
  'flex items-center gap-3 border-t border-line px-4 py-2.5 hover:bg-sunken/60 focus-visible:-outline-offset-2 sm:px-5'
