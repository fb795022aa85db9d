import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { button } from '#app/ui/button-styles.ts'

/** Frame for a message in place of the list or the board. */
export const ListCard = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-y-auto rounded-xl border border-line bg-surface [&>[role=status]]:p-4">
    {children}
  </div>
)

/** Shows a loading state below the last row, or in place of rows until the first match is found. */
export function LoadingMore({
  isLoading,
  isFailed,
  loadMore,
  what = 'Loading more deals',
}: {
  isLoading: boolean
  isFailed: boolean
  loadMore: () => void
  what?: string
}) {
  if (!isLoading && !isFailed) return null
  return (
    <div role="status" className="sticky left-0 flex h-14 items-center justify-center gap-3 text-ink-soft">
      {!isFailed ? (
        <>
          <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
          {what}…
        </>
      ) : (
        <>
          Could not load more deals.{' '}
          <button type="button" onClick={loadMore} className={button.plain}>
            Try again
          </button>
        </>
      )}
    </div>
  )
}
