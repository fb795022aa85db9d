'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Building2, Plus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { AsOf } from '#app/ui/as-of.tsx'
import { button } from '#app/ui/button.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { ListState } from '#app/ui/query-state.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { WithoutPartner } from '../sources/without-partner.tsx'
import { columnsAt } from './columns.tsx'
import { CreatePartnerDialog } from './create-dialog.tsx'
import { nextSort, partnersFilter, partnersParsers } from './query.ts'

const settleMs = 250

/** Shows all partners. */
export function PartnersPage() {
  const [{ q, sort }, setState] = useQueryStates(partnersParsers)
  const search = useSettled(q, settleMs)
  const found = trpc.partners.list.useInfiniteQuery(partnersFilter({ q: search, sort }), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const shownAt = useShownAt(found)
  const rows = found.data?.pages.flatMap(({ partners }) => partners)
  const asOf = found.data?.pages[0]?.asOf ?? null
  const withoutPartner = found.data?.pages[0]?.withoutPartner ?? 0
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <Head asOf={asOf} nowMs={shownAt} onCreate={() => setCreating(true)} />
      <div className="mb-4 max-w-md">
        <TextField
          label="Name or slug"
          type="search"
          value={q}
          onChange={({ target }) => void setState({ q: target.value.slice(0, 100) })}
        />
      </div>
      {withoutPartner > 0 && (
        <p className="mb-4">
          <WithoutPartner count={withoutPartner} />
        </p>
      )}
      <ListState
        what="partners"
        list={found}
        rows={rows}
        empty={
          q === '' ? (
            <Notice icon={Building2} title="No partners yet">
              Create a partner, then invite its admin and import its deals.
            </Notice>
          ) : (
            <Notice icon={Building2} title="No matching partners">
              Try a shorter name.
            </Notice>
          )
        }
      >
        {(partners) => (
          <ListTable
            label="Partners"
            columns={columnsAt(shownAt, sort, (field) => void setState({ sort: nextSort(sort, field) }))}
            rows={partners}
            keyOf={({ slug }) => slug}
          />
        )}
      </ListState>
      {isCreating && <CreatePartnerDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function Head({ asOf, nowMs, onCreate }: { asOf: string | null; nowMs: number; onCreate: () => void }) {
  return (
    <PageHead
      title="Partners"
      about={
        <>
          Dealers with access to their deals. <AsOf asOf={asOf} nowMs={nowMs} />
        </>
      }
    >
      <button type="button" onClick={onCreate} className={button.primary}>
        <Plus aria-hidden="true" className="size-4" />
        New partner
      </button>
    </PageHead>
  )
}
