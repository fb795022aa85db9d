/** The placeholder of the overview while it loads. */
export function OverviewSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading overview…</span>
      <div aria-hidden="true" className="grid animate-pulse gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <div className="h-28 rounded-xl border border-line bg-surface lg:col-span-2" />
        {[0, 1, 2, 3].map((part) => (
          <div key={part} className="rounded-xl border border-line bg-surface">
            {[0, 1, 2, 3, 4, 5].map((line) => (
              <div
                key={line}
                className="flex h-14 items-center gap-6 border-b border-line px-5 last:border-0"
              >
                <div className="h-3 w-48 max-w-full rounded-full bg-sunken" />
                <div className="ml-auto h-3 w-12 rounded-full bg-sunken" />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
