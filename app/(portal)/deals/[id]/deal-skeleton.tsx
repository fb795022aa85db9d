/** The placeholder of the deal while it loads. */
export function DealSkeleton() {
  const block = 'rounded-xl border border-line bg-surface'
  return (
    <div role="status">
      <span className="sr-only">Loading deal…</span>
      <div aria-hidden="true" className="animate-pulse">
        <div className="mb-3 h-6 w-72 max-w-full rounded-full bg-sunken" />
        <div className="mb-6 h-4 w-96 max-w-full rounded-full bg-sunken" />
        <div className={`${block} mb-5 h-32`} />
        <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_23rem]">
          <div className={`${block} h-160`} />
          <div className="flex flex-col gap-5">
            <div className={`${block} h-52`} />
            <div className={`${block} h-64`} />
          </div>
        </div>
      </div>
    </div>
  )
}
