/** Placeholder for the rows. */
export function DealsSkeleton() {
  return (
    <div role="status" className="min-h-0 flex-1 overflow-hidden rounded-xl border border-line bg-surface">
      <span className="sr-only">Loading deals…</span>
      <div aria-hidden="true" className="animate-pulse">
        {Array.from({ length: 24 }, (_, row) => (
          <div key={row} className="flex h-15 items-center gap-6 border-b border-line px-4 last:border-0">
            <div className="flex-1 space-y-2">
              <div className="h-3 w-56 max-w-full rounded-full bg-sunken" />
              <div className="h-3 w-40 max-w-full rounded-full bg-sunken" />
            </div>
            <div className="h-5 w-28 rounded-full bg-sunken" />
            <div className="h-3 w-16 rounded-full bg-sunken max-sm:hidden" />
            <div className="h-3 w-20 rounded-full bg-sunken max-md:hidden" />
          </div>
        ))}
      </div>
    </div>
  )
}
