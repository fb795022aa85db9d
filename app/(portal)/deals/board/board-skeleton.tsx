/** The placeholder of the board while it loads. */
export function BoardSkeleton() {
  return (
    <div role="status" className="min-h-0 flex-1 overflow-hidden">
      <span className="sr-only">Loading board…</span>
      <div aria-hidden="true" className="flex h-full animate-pulse gap-3">
        {Array.from({ length: 6 }, (_, column) => (
          <div key={column} className="w-72 shrink-0 space-y-2 rounded-xl bg-sunken p-2">
            <div className="m-2 h-4 w-32 rounded-full bg-line" />
            {Array.from({ length: 5 - (column % 3) }, (_each, card) => (
              <div key={card} className="h-23 rounded-lg border border-line bg-surface" />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
