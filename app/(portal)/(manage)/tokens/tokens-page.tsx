'use client'

import { KeyRound, Plus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useRef, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { SelectField } from '#app/ui/fields.tsx'
import { Fold } from '#app/ui/fold.tsx'
import { ListState, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { CreateTokenDialog } from './create-dialog.tsx'
import { type TokensState, tokensInput, tokensQuery } from './query.ts'
import { TokenTable } from './token-table.tsx'

/** Shows the API tokens of a partner. Operators see those of all partners. */
export function TokensPage() {
  const [state, setState] = useQueryStates(tokensQuery.parsers)
  const [isCreating, setCreating] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const { seesAllPartners: isOfAll } = useViewer()
  const list = useList(
    trpc.tokens.list.useInfiniteQuery(tokensInput(state, false), pageByPage),
    ({ tokens }) => tokens,
  )
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
        <Button onClick={() => setCreating(true)} look="primary">
          <Plus aria-hidden="true" className="size-4" />
          {isOfAll ? 'Create internal token' : 'Create token'}
        </Button>
      </PageHead>
      {isOfAll && <OwnerFilter of={state.of} onChange={(of) => void setState({ of })} />}
      {/* Gets the focus when the row that had the focus disappears. */}
      <div
        ref={place}
        tabIndex={-1}
        role="group"
        aria-label="Active tokens"
        className="rounded-xl outline-offset-4"
      >
        <ListState what="tokens" list={list} empty={noTokens}>
          {(tokens) => (
            <TokenTable
              label="Active tokens"
              rows={tokens}
              nowMs={list.nowMs}
              isOfAll={isOfAll}
              onGone={() => place.current?.focus()}
            />
          )}
        </ListState>
      </div>
      <div className="mt-6">
        <Fold
          title="Expired and revoked"
          className="touch w-fit rounded-lg py-2 pr-2 text-ink-soft hover:text-ink"
        >
          <InactiveTokens state={state} isOfAll={isOfAll} />
        </Fold>
      </div>
      {isCreating && <CreateTokenDialog isInternal={isOfAll} onClose={() => setCreating(false)} />}
    </>
  )
}

const all = '*'

/** Selects the partner whose tokens are listed. */
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

const noTokens = (
  <div className="rounded-xl border border-line bg-surface">
    <Notice icon={KeyRound} title="No active tokens">
      Create a token and try it with the command shown next.
    </Notice>
  </div>
)

function InactiveTokens({ state, isOfAll }: { state: TokensState; isOfAll: boolean }) {
  const list = useList(
    trpc.tokens.list.useInfiniteQuery(tokensInput(state, true), pageByPage),
    ({ tokens }) => tokens,
  )
  return (
    <ListState
      what="tokens"
      list={list}
      empty={
        <p className="text-ink-soft">None yet. Tokens stay listed here after they expire or are revoked.</p>
      }
    >
      {(rows) => (
        <TokenTable label="Expired and revoked tokens" rows={rows} nowMs={list.nowMs} isOfAll={isOfAll} />
      )}
    </ListState>
  )
}
