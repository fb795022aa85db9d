'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { Building2, Plus } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { SearchField, SelectField, TextField } from '#app/ui/fields.tsx'
import { formatCount, formatSum } from '#app/ui/format.ts'
import { PartnerLink } from '#app/ui/link.tsx'
import { type ListColumn, ListState, ListTable, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { AsOf, When } from '#app/ui/times.tsx'
import { useSettled } from '#app/ui/use-typed.ts'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import type { PartnerSort } from '#server/partners/policy.ts'
import { CreatePartner } from '#server/partners/wire.ts'
import { WithoutPartner } from '../controls.tsx'
import { endpointLabel, healthLabels } from '../webhooks/labels.ts'
import { PartnerActions, type PartnerLine } from './partner-actions.tsx'
import { adminProblem, nextSort, partnersFilter, partnersQuery, proposeSlug } from './partner-list.ts'

/** Shows all partners. */
export function PartnersPage() {
  const [{ q, sort }, setState] = useQueryStates(partnersQuery.parsers)
  const list = useList(
    trpc.partners.list.useInfiniteQuery(partnersFilter({ q: useSettled(q), sort }), pageByPage),
    ({ partners }) => partners,
  )
  const { asOf, withoutPartner } = list.data?.pages[0] ?? { asOf: null, withoutPartner: null }
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <PageHead
        title="Partners"
        about={
          <>
            Dealers with access to their deals. <AsOf asOf={asOf} nowMs={list.nowMs} />
          </>
        }
      >
        <Button onClick={() => setCreating(true)} look="primary">
          <Plus aria-hidden="true" className="size-4" />
          New partner
        </Button>
      </PageHead>
      <div className="mb-4 max-w-md">
        <SearchField
          label="Name or slug"
          value={q}
          maxLength={100}
          onSearch={(text) => void setState({ q: text })}
        />
      </div>
      {withoutPartner !== null && withoutPartner > 0 && (
        <p className="mb-4">
          <WithoutPartner count={withoutPartner} />
        </p>
      )}
      <ListState
        what="partners"
        list={list}
        empty={
          <Notice icon={Building2} title={q === '' ? 'No partners yet' : 'No matching partners'}>
            {q === ''
              ? 'Create a partner, then invite its admin and import its deals.'
              : 'Try a shorter name.'}
          </Notice>
        }
      >
        {(partners) => (
          <ListTable
            label="Partners"
            columns={columnsAt(list.nowMs, sort, (field) => void setState({ sort: nextSort(sort, field) }))}
            rows={partners}
            keyOf={({ slug }) => slug}
          />
        )}
      </ListState>
      {isCreating && <CreatePartnerDialog onClose={() => setCreating(false)} />}
    </>
  )
}

/** Creates a partner, then shows links to the next steps. */
function CreatePartnerDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<NewPartner | null>(null)
  if (created === null)
    return (
      <Dialog title="New partner" onClose={onClose}>
        <CreatePartnerForm onCreated={setCreated} onCancel={onClose} />
      </Dialog>
    )
  const { slug, name } = created
  return (
    <Dialog title={`${name} created`} onClose={onClose}>
      <p role="status" className="mb-4 text-pretty">
        It has no users and no deals yet. Next steps:
      </p>
      <div className="flex flex-wrap gap-3">
        <PartnerLink href="/team" partner={slug} className={button.primary}>
          Invite an admin
        </PartnerLink>
        <PartnerLink href="/imports" partner={slug} className={`${button.plain} h-10`}>
          Import deals
        </PartnerLink>
      </div>
    </Dialog>
  )
}

interface NewPartner {
  slug: string
  name: string
}

type OnCreated = (partner: NewPartner) => void

function CreatePartnerForm({ onCreated, onCancel }: { onCreated: OnCreated; onCancel: () => void }) {
  const { register, errors, proposeFrom, submit, isPending, problem } = useCreatePartner(onCreated)
  const { data: zones = [] } = trpc.accounts.timeZones.useQuery(undefined, { staleTime: Infinity })
  return (
    <DialogForm
      onSubmit={submit}
      problem={problem}
      busy={isPending}
      submit="Create partner"
      onCancel={onCancel}
    >
      <TextField
        label="Name"
        autoComplete="off"
        {...register('name', { onChange: ({ target }) => proposeFrom((target as HTMLInputElement).value) })}
        error={errors.name && 'Enter a name of at most 100 characters.'}
      />
      <TextField
        label="Slug"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="Identifies the partner in URLs, commands and import files. It cannot be changed later."
        {...register('slug')}
        error={
          errors.slug &&
          (errors.slug.type === 'taken'
            ? 'This slug is already taken.'
            : 'Use 1 to 63 lowercase letters, digits and hyphens, with no hyphen at either end.')
        }
      />
      <SelectField
        // Remount the select when the time zones have loaded: otherwise it would stay at the first option.
        key={zones.length}
        label="Time zone"
        choices={[{ value: '', label: 'Where most of its deals are' }, ...zones]}
        {...register('timeZone', { setValueAs: (value: string | null) => value || null })}
      />
    </DialogForm>
  )
}

function useCreatePartner(onCreated: OnCreated) {
  const { partners, accounts } = trpc.useUtils()
  const { register, handleSubmit, setError, setValue, formState } = useForm({
    resolver: zodResolver(CreatePartner),
    defaultValues: { name: '', slug: '', timeZone: null },
  })
  const { errors, dirtyFields, isSubmitted } = formState
  const create = trpc.partners.create.useMutation({
    async onSuccess(_, values) {
      onCreated(values)
      await Promise.all([partners.list.invalidate(), accounts.partners.invalidate()])
    },
    onError({ data }) {
      if (data?.code === 'BAD_REQUEST') setError('slug', { type: 'taken' }, { shouldFocus: true })
    },
  })
  const isTaken = create.error?.data?.code === 'BAD_REQUEST'
  return {
    register,
    errors,
    // Suggests a slug for the name until the user edits the slug.
    proposeFrom(name: string) {
      if (!dirtyFields.slug) setValue('slug', proposeSlug(name), { shouldValidate: isSubmitted })
    },
    submit: handleSubmit((values) => create.mutate(values)),
    isPending: create.isPending,
    problem: create.error === null || isTaken ? null : failureMessage(create.error),
  }
}

const figure = 'touch-number rounded hover:underline max-sm:-my-1'

/**
 * Returns the columns of the partner list as of `nowMs`, and the initial sort direction of sortable columns.
 */
const columnsAt = (
  nowMs: number,
  sort: PartnerSort,
  onSort: (field: PartnerSort['field']) => void,
): ListColumn<PartnerLine>[] => {
  const by: SortedBy = (field) => ({
    sort: { direction: sort.field === field ? sort.direction : null, onSort: () => onSort(field) },
  })
  return [
    { title: 'Partner', ...by('slug'), cell: (partner) => <Named partner={partner} nowMs={nowMs} /> },
    ...dealColumns(by),
    {
      title: 'Users',
      isNumber: true,
      cell: ({ slug, people, invited }) => (
        <PartnerLink href="/team" partner={slug} className={figure}>
          {formatCount(people)}
          {invited > 0 && <span className="block text-ink-soft">{formatCount(invited)} invited</span>}
        </PartnerLink>
      ),
    },
    {
      title: 'Tokens',
      isNumber: true,
      cell: ({ slug, tokens }) => (
        <PartnerLink href="/tokens" partner={slug} className={figure}>
          {formatCount(tokens)}
        </PartnerLink>
      ),
    },
    { title: 'Webhooks', ...by('webhooks'), cell: ({ endpoints }) => <Endpoints endpoints={endpoints} /> },
    {
      title: 'Last active',
      ...by('seen'),
      cell: ({ seenAt }) => <When at={seenAt} nowMs={nowMs} />,
    },
    { title: 'Created', ...by('createdAt'), cell: ({ createdAt }) => <When at={createdAt} nowMs={nowMs} /> },
    { title: 'Actions', isTitleHidden: true, cell: (partner) => <PartnerActions partner={partner} /> },
  ]
}

type SortedBy = (field: PartnerSort['field']) => Pick<ListColumn<PartnerLine>, 'sort'>

const dealColumns = (by: SortedBy): ListColumn<PartnerLine>[] => {
  const column = (
    title: string,
    field: 'deals' | 'open' | 'late' | 'amount',
    query: string,
    textOf?: (line: PartnerLine) => string,
  ): ListColumn<PartnerLine> => ({
    title,
    ...by(field),
    isNumber: true,
    cell: (line) => (
      <DealsLink slug={line.slug} href={`/deals${query}`} count={line[field === 'amount' ? 'open' : field]}>
        {textOf?.(line)}
      </DealsLink>
    ),
  })
  return [
    column('Deals', 'deals', ''),
    column('Open', 'open', '?is=open'),
    column('Late', 'late', '?is=open,late'),
    column('Open amount', 'amount', '?is=open', ({ open, amount }) =>
      formatSum({ count: open ?? 0, amount: amount ?? 0 }),
    ),
  ]
}

function Named({ partner, nowMs }: { partner: PartnerLine; nowMs: number }) {
  const { name, slug, suspendedAt, timeZone, usualZone } = partner
  const problem = adminProblem(partner, nowMs)
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <PartnerLink href="/" partner={slug} className="rounded hover:underline">
          <span className="sr-only">View as partner </span>
          {name}
        </PartnerLink>
        {suspendedAt !== null && <Badge tone="bad">Suspended</Badge>}
        {problem !== null && <Badge tone="wait">{problem}</Badge>}
      </span>
      <span className="block min-w-48 font-normal wrap-anywhere text-ink-soft">{slug}</span>
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
  /** Number of deals behind the link; null if unknown. */
  count: number | null
  /** Text of the link; defaults to the count. */
  children?: string | undefined
}) {
  if (count === null || count === 0) return <span className="text-ink-soft">{count ?? '–'}</span>
  return (
    <PartnerLink href={href} partner={slug} className={figure}>
      {children ?? formatCount(count)}
    </PartnerLink>
  )
}

function Endpoints({ endpoints }: Pick<PartnerLine, 'endpoints'>) {
  if (endpoints.length === 0) return <span className="text-ink-soft">None</span>
  return (
    <ul className="space-y-1">
      {endpoints.map((endpoint) => {
        const { tone, label } = healthLabels[endpoint.health]
        return (
          <li key={endpoint.kind}>
            <Badge tone={tone}>
              {endpointLabel(endpoint.kind, endpoint.name)}: {label}
            </Badge>
          </li>
        )
      })}
    </ul>
  )
}
