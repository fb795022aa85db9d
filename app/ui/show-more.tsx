import { SubmitButton } from './submit-button.tsx'

/** Below a list of which there is more: reads the next page of it. */
export function ShowMore({
  found: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  found: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }
}) {
  if (!hasNextPage) return null
  return (
    <div className="mt-4 flex justify-center">
      <SubmitButton
        type="button"
        look="plain"
        busy={isFetchingNextPage}
        onClick={() => {
          if (!isFetchingNextPage) void fetchNextPage()
        }}
      >
        Show more
      </SubmitButton>
    </div>
  )
}
