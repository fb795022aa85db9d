import { keepPreviousData } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { ShowMore } from '#app/ui/show-more.tsx'
import { type TokensState, tokensInput } from './query.ts'
import { TokenTable } from './token-table.tsx'

/** Shows expired and revoked tokens, loaded when expanded. */
export function InactiveTokens({ state, isOfAll }: { state: TokensState; isOfAll: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const found = trpc.tokens.list.useInfiniteQuery(tokensInput(state, true), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    enabled: isOpen,
  })
  const rows = found.data?.pages.flatMap(({ tokens }) => tokens)
  return (
    <details className="group mt-6" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-lg py-2 pr-2 text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        Expired and revoked
      </summary>
      <div className="mt-2">
        {rows === undefined ? (
          <p role="status" className="text-ink-soft">
            {found.error === null ? 'Loading…' : failureMessage(found.error)}
          </p>
        ) : rows.length === 0 ? (
          <p className="text-ink-soft">None yet. Tokens stay listed here after they expire or are revoked.</p>
        ) : (
          <TokenTable
            label="Expired and revoked tokens"
            rows={rows}
            nowMs={found.dataUpdatedAt}
            isOfAll={isOfAll}
          />
        )}
        <ShowMore found={found} />
      </div>
    </details>
  )
}
