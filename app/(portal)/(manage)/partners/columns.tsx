'use client'

import { type Tone, Badge } from '#app/ui/badge.tsx'
import { formatCount, formatDollarsShort } from '#app/ui/format.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import type { ListColumn } from '#app/ui/list-table.tsx'
import { When } from '#app/ui/when.tsx'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { PartnerSort } from '#server/partners/policy.ts'
import type { HealthState } from '#server/webhooks/endpoints/health.ts'
import { endpointLabels } from '../webhooks/labels.ts'
import { PartnerActions } from './partner-actions.tsx'
import type { PartnerLine } from './partner.ts'

/** Returns the columns of the list of partners at a time, those that can be sorted by with their direction. */
export const columnsAt = (
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
          {invited > 0 && <span className="block text-ink-soft">{formatCount(invited)} invited</span>}
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
    title: 'Amount',
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
