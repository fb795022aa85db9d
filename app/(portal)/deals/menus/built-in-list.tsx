import { Check } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { Link } from '#app/ui/link.tsx'
import { builtInViews } from '../built-in-views.ts'
import { type DealsState, dealsHref, noFilter, readDealsQuery, viewQuery } from '../query.ts'
import type { ChangeDealsState } from '../use-deals-state.ts'

/** Shows the views that everybody has; columns and density stay as they are. */
export function BuiltInList({
  state,
  change,
  close,
}: {
  state: DealsState
  change: ChangeDealsState
  close: () => void
}) {
  const path = usePathname()
  return (
    <ul aria-label="Built-in views" className="mb-1.5 border-b border-line pb-1.5">
      {builtInViews.map(({ name, query }) => {
        const { columns, widths, density } = state
        const asked = readDealsQuery(new URLSearchParams(query))
        const next = { ...asked, columns, widths, density, view: null }
        const isCurrent = state.view === null && viewQuery(state) === viewQuery(next)
        return (
          <li key={name}>
            <Link
              prefetch={false}
              href={dealsHref(next, path)}
              aria-current={isCurrent || undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return
                event.preventDefault()
                change({ ...noFilter, ...next })
                close()
              }}
              className="flex min-h-9 items-center gap-2.5 rounded-lg px-2.5 py-1 hover:bg-sunken"
            >
              <Check
                aria-hidden="true"
                className={`size-4 shrink-0 text-accent ${isCurrent ? '' : 'opacity-0'}`}
              />
              <span className="min-w-0 truncate">{name}</span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
