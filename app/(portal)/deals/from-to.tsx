import { ArrowRight } from 'lucide-react'

/** Shows the old and the new value of a field. Null means empty. */
export function FromTo({ label, from, to }: { label: string; from: string | null; to: string | null }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]">
      <dt className="text-ink-soft">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        {from === null && <span className="text-ink-soft">set to</span>}
        {to === null && <span className="text-ink-soft">cleared, was</span>}
        {from !== null && <Value quiet>{from}</Value>}
        {from !== null && to !== null && (
          <>
            <span className="sr-only">to</span>
            <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 translate-y-0.5 text-ink-soft" />
          </>
        )}
        {to !== null && <Value>{to}</Value>}
      </dd>
    </div>
  )
}

function Value({ quiet = false, children }: { quiet?: boolean; children: string }) {
  return (
    <span className={`min-w-0 whitespace-pre-line wrap-anywhere ${quiet ? 'text-ink-soft' : ''}`}>
      {children}
    </span>
  )
}
