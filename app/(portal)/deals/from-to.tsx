import { ArrowRight } from 'lucide-react'

/** Shows the change of a field; null is an empty value. */
export function FromTo({ label, from, to }: { label: string; from: string | null; to: string | null }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]">
      <dt className="text-ink-soft">{label}</dt>
      <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <Value read="from" quiet>
          {from}
        </Value>
        <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 translate-y-0.5 text-ink-soft" />
        <Value read="to">{to}</Value>
      </dd>
    </div>
  )
}

function Value({
  read,
  quiet = false,
  children,
}: {
  read: string
  quiet?: boolean
  children: string | null
}) {
  return (
    <span className={`min-w-0 whitespace-pre-line wrap-anywhere ${quiet ? 'text-ink-soft' : ''}`}>
      <span className="sr-only">{read} </span>
      {children ?? <span className="text-ink-soft italic">empty</span>}
    </span>
  )
}
