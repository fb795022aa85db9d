'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useRef, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { seesAllPartners } from '../../frame/viewer.ts'
import { CreateTokenDialog } from './create-dialog.tsx'
import { InactiveTokens } from './inactive-tokens.tsx'
import { tokensInput, tokensParsers } from './query.ts'
import { TokenTable } from './token-table.tsx'

/** Shows the API tokens of a partner, or to an operator of all partners. */
export function TokensPage() {
  const [state, setState] = useQueryStates(tokensParsers)
  const [isCreating, setCreating] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const { data: me } = trpc.accounts.me.useQuery()
  const isOfAll = me !== undefined && seesAllPartners(me)
  const found = trpc.tokens.list.useInfiniteQuery(tokensInput(state, false), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const shownAt = useShownAt(found)
  const rows = found.data?.pages.flatMap(({ tokens }) => tokens)
  return (
    <>
      <PageHead
        title="Tokens"
        about={
          isOfAll
            ? 'API tokens. Internal tokens can read the deals of all partners; to create one for a partner, select the partner first.'
            : 'API tokens for your systems. Give each system its own, so that you can revoke one without affecting the others.'
        }
      >
        <button type="button" onClick={() => setCreating(true)} className={button.primary}>
          <Plus aria-hidden="true" className="size-4" />
          {isOfAll ? 'Create internal token' : 'Create token'}
        </button>
      </PageHead>
      {isOfAll && <OwnerFilter of={state.of} onChange={(of) => void setState({ of })} />}
      <QueryState what="tokens" query={found} data={rows}>
        {(tokens) => (
          // Takes the focus when the row that had it disappears.
          <div
            ref={list}
            tabIndex={-1}
            role="group"
            aria-label="Active tokens"
            className="rounded-xl outline-offset-4"
          >
            {tokens.length === 0 ? (
              <NoTokens />
            ) : (
              <TokenTable
                label="Active tokens"
                rows={tokens}
                nowMs={shownAt}
                isOfAll={isOfAll}
                onGone={() => list.current?.focus()}
              />
            )}
            <ShowMore found={found} />
          </div>
        )}
      </QueryState>
      <InactiveTokens state={state} isOfAll={isOfAll} />
      {isCreating && <CreateTokenDialog isInternal={isOfAll} onClose={() => setCreating(false)} />}
    </>
  )
}

const all = '*'

/** Filters by the partner that the tokens belong to. */
function OwnerFilter({ of, onChange }: { of: string | null; onChange: (of: string | null) => void }) {
  const { data: partners = [] } = trpc.accounts.partners.useQuery()
  return (
    <SelectField
      label="Owner"
      className="mb-4 w-full sm:w-72"
      choices={[
        { value: all, label: 'All' },
        { value: '', label: 'Internal' },
        ...partners.map(({ slug, name }) => ({ value: slug, label: name })),
      ]}
      value={of ?? all}
      onChange={({ target: { value } }) => onChange(value === all ? null : value)}
    />
  )
}

function NoTokens() {
  return (
    <div className="rounded-xl border border-line bg-surface">
      <Notice icon={KeyRound} title="No active tokens">
        Create a token and try it with the command shown next.
      </Notice>
    </div>
  )
}
