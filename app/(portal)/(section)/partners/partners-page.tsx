'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Building2, CloudOff, Plus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { formatCount } from '#app/ui/format.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { ShowMore } from '#app/ui/show-more.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { When } from '#app/ui/when.tsx'
import { endpointLabels } from '../webhooks/labels.ts'
import { CreatePartnerDialog } from './create-dialog.tsx'
import { PartnerActions } from './partner-actions.tsx'
import type { PartnerLine } from './partner.ts'
import { partnersFilter, partnersParsers } from './query.ts'

const settleMs = 250

/** Shows all partners. */
export function PartnersPage() {
  const [{ q }, setState] = useQueryStates(partnersParsers)
  const search = useSettled(q, settleMs)
  const found = trpc.partners.list.useInfiniteQuery(partnersFilter(search), {
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const rows = found.data?.pages.flatMap(({ partners }) => partners)
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <PageHead title="Partners" about="Dealers with access to their deals.">
        <button type="button" onClick={() => setCreating(true)} className={button.primary}>
          <Plus aria-hidden="true" className="size-4" />
          New partner
        </button>
      </PageHead>
      <div className="mb-4 max-w-md">
        <TextField
          label="Name or slug"
          type="search"
          value={q}
          onChange={({ target }) => void setState({ q: target.value.slice(0, 100) })}
        />
      </div>
      {rows === undefined ? (
        found.error === null ? (
          <p role="status" className="text-ink-soft">
            Loading partners…
          </p>
        ) : (
          <Notice
            icon={CloudOff}
            title="Could not load partners"
            action={
              <button type="button" onClick={() => found.refetch()} className={button.primary}>
                Try again
              </button>
            }
          >
            {failureMessage(found.error)}
          </Notice>
        )
      ) : rows.length === 0 ? (
        <Notice icon={Building2} title={q === '' ? 'No partners yet' : 'No matching partners'}>
          {q === '' ? 'Create a partner, then invite its admin and import its deals.' : 'Try a shorter name.'}
        </Notice>
      ) : (
        <>
          <ListTable
            label="Partners"
            columns={columnsAt(found.dataUpdatedAt)}
            rows={rows}
            keyOf={({ slug }) => slug}
          />
          <ShowMore found={found} />
        </>
      )}
      {isCreating && <CreatePartnerDialog onClose={() => setCreating(false)} />}
    </>
  )
}

const columnsAt = (nowMs: number): ListColumn<PartnerLine>[] => [
  {
    title: 'Partner',
    cell: ({ name, slug, suspendedAt }) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {name}
          {suspendedAt !== null && <Badge tone="bad">Suspended</Badge>}
        </span>
        <span className="block font-normal text-ink-soft">{slug}</span>
      </>
    ),
  },
  { title: 'Deals', isNumber: true, cell: ({ deals }) => formatCount(deals) },
  {
    title: 'Users',
    isNumber: true,
    cell: ({ slug, people, invited }) => (
      <PartnerLink href="/team" partner={slug} className="underline">
        {formatCount(people)}
        {invited > 0 && ` (${formatCount(invited)} invited)`}
      </PartnerLink>
    ),
  },
  { title: 'Tokens', isNumber: true, cell: ({ tokens }) => formatCount(tokens) },
  { title: 'Webhooks', cell: ({ endpoints }) => <Endpoints endpoints={endpoints} /> },
  { title: 'Created', cell: ({ createdAt }) => <When at={createdAt} nowMs={nowMs} /> },
  { title: 'Actions', isTitleHidden: true, cell: (partner) => <PartnerActions partner={partner} /> },
]

function Endpoints({ endpoints }: Pick<PartnerLine, 'endpoints'>) {
  if (endpoints.length === 0) return <span className="text-ink-soft">None</span>
  return (
    <ul className="space-y-1">
      {endpoints.map(({ kind, failingSince, switchedOffBecause }) => {
        const [tone, state]: [Tone, string] =
          switchedOffBecause === 'suspended'
            ? ['neutral', 'paused']
            : switchedOffBecause !== null
              ? ['bad', 'off']
              : failingSince !== null
                ? ['wait', 'failing']
                : ['good', 'on']
        return (
          <li key={kind}>
            <Badge tone={tone}>
              {endpointLabels[kind].label}: {state}
            </Badge>
          </li>
        )
      })}
    </ul>
  )
}
