'use client'

import { keepPreviousData } from '@tanstack/react-query'
import { Building2, Plus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { AsOf } from '#app/ui/as-of.tsx'
import { Badge, type Tone } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button.ts'
import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { ListState } from '#app/ui/query-state.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { useSettled } from '#app/ui/use-settled.ts'
import { useShownAt } from '#app/ui/use-shown-at.ts'
import { When } from '#app/ui/when.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { PartnerSort } from '#server/partners/policy.ts'
import type { HealthState } from '#server/webhooks/endpoints/health.ts'
import { endpointLabels } from '../webhooks/labels.ts'
import { CreatePartnerDialog } from './create-dialog.tsx'
import { PartnerActions } from './partner-actions.tsx'
import type { PartnerLine } from './partner.ts'
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

const columnsAt = (
  nowMs: number,
  sort: PartnerSort,
  onSort: (field: PartnerSort['field']) => void,
): ListColumn<PartnerLine>[] => {
  const by: SortedBy = (field) => ({
    sort: { direction: sort.field === field ? sort.direction : null, onSort: () => onSort(field) },
  })
  return [
    {
      title: 'Partner',
      ...by('slug'),
      cell: (partner) => <Named partner={partner} />,
    },
    ...dealColumns(by),
    {
      title: 'Users',
      isNumber: true,
      cell: ({ slug, people, invited }) => (
        <PartnerLink href="/team" partner={slug} className="hover:underline">
          {formatCount(people)}
          {invited > 0 && ` (${formatCount(invited)} invited)`}
        </PartnerLink>
      ),
    },
    {
      title: 'Tokens',
      isNumber: true,
      cell: ({ slug, tokens }) => (
        <PartnerLink href="/tokens" partner={slug} className="hover:underline">
          {formatCount(tokens)}
        </PartnerLink>
      ),
    },
    { title: 'Webhooks', ...by('webhooks'), cell: ({ endpoints }) => <Endpoints endpoints={endpoints} /> },
    {
      title: 'Last active',
      ...by('seen'),
      cell: ({ seenAt }) =>
        seenAt === null ? <span className="text-ink-soft">Never</span> : <When at={seenAt} nowMs={nowMs} />,
    },
    { title: 'Created', ...by('createdAt'), cell: ({ createdAt }) => <When at={createdAt} nowMs={nowMs} /> },
    { title: 'Actions', isTitleHidden: true, cell: (partner) => <PartnerActions partner={partner} /> },
  ]
}

type SortedBy = (field: PartnerSort['field']) => Pick<ListColumn<PartnerLine>, 'sort'>

const dealColumns = (by: SortedBy): ListColumn<PartnerLine>[] => [
  {
    title: 'Deals',
    ...by('deals'),
    isNumber: true,
    cell: ({ slug, deals }) => <DealsLink slug={slug} href="/deals" count={deals} />,
  },
  {
    title: 'Open',
    ...by('open'),
    isNumber: true,
    cell: ({ slug, open }) => <DealsLink slug={slug} href="/deals?is=open" count={open} />,
  },
  {
    title: 'Late',
    ...by('late'),
    isNumber: true,
    cell: ({ slug, late }) => <DealsLink slug={slug} href="/deals?is=open,late" count={late} />,
  },
  {
    title: 'Open amount',
    ...by('amount'),
    isNumber: true,
    cell: ({ slug, open, amount }) => (
      <DealsLink slug={slug} href="/deals?is=open" count={open}>
        {formatDollarsShort(amount ?? 0)}
      </DealsLink>
    ),
  },
]

function Named({ partner: { name, slug, suspendedAt, timeZone, usualZone } }: { partner: PartnerLine }) {
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {name}
        {suspendedAt !== null && <Badge tone="bad">Suspended</Badge>}
      </span>
      <span className="block font-normal text-ink-soft">{slug}</span>
      <span className="block font-normal text-ink-soft">{zoneLabel(timeZone ?? usualZone ?? 'UTC')}</span>
    </>
  )
}

function DealsLink({
  slug,
  href,
  count,
  children,
}: {
  slug: string
  href: string
  /** The number of deals behind the link; null while it is not known. */
  count: number | null
  /** What is shown of them; their number unless given. */
  children?: string
}) {
  if (count === null || count === 0) return <span className="text-ink-soft">{count ?? '–'}</span>
  return (
    <PartnerLink href={href} partner={slug} className="hover:underline">
      {children ?? formatCount(count)}
    </PartnerLink>
  )
}

function Endpoints({ endpoints }: Pick<PartnerLine, 'endpoints'>) {
  if (endpoints.length === 0) return <span className="text-ink-soft">None</span>
  return (
    <ul className="space-y-1">
      {endpoints.map((endpoint) => {
        const { tone, state } = standings[endpoint.health]
        return (
          <li key={endpoint.kind}>
            <Badge tone={tone}>
              {endpointLabels[endpoint.kind].label}: {state}
            </Badge>
          </li>
        )
      })}
    </ul>
  )
}

const on = { tone: 'good', state: 'on' } as const
const standings: Record<HealthState, { tone: Tone; state: string }> = {
  untried: on,
  checked: on,
  working: on,
  failing: { tone: 'wait', state: 'failing' },
  off: { tone: 'bad', state: 'off' },
  paused: { tone: 'neutral', state: 'paused' },
}
