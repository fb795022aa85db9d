import { keepPreviousData } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { ShowMore } from '#app/ui/show-more.tsx'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { type TokensState, tokensInput } from './query.ts'
import { TokenTable } from './token-table.tsx'

/** Shows expired and revoked tokens, loaded when expanded. */
export function InactiveTokens({ state, isOfAll }: { state: TokensState; isOfAll: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="group mt-6" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-lg py-2 pr-2 text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        Expired and revoked
      </summary>
      <div className="mt-2">
        <InactiveList state={state} isOfAll={isOfAll} isOpen={isOpen} />
      </div>
    </details>
  )
}

function InactiveList({ state, isOfAll, isOpen }: { state: TokensState; isOfAll: boolean; isOpen: boolean }) {
  const found = trpc.tokens.list.useInfiniteQuery(tokensInput(state, true), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    enabled: isOpen,
  })
  const nowMs = useShownAt(found)
  const { data, error } = found
  if (data === undefined)
    return (
      <p role="status" className="text-ink-soft">
        {error === null ? 'Loading…' : failureMessage(error)}
      </p>
    )
  const rows = data.pages.flatMap(({ tokens }) => tokens)
  if (rows.length === 0)
    return (
      <p className="text-ink-soft">None yet. Tokens stay listed here after they expire or are revoked.</p>
    )
  return (
    <>
      <TokenTable label="Expired and revoked tokens" rows={rows} nowMs={nowMs} isOfAll={isOfAll} />
      <ShowMore found={found} />
    </>
  )
}
