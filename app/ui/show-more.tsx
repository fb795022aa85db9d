import { SubmitButton } from './submit-button.tsx'

/** Shows the button that loads the next page of a list, if there is one. */
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
