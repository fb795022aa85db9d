'use client'

import { Bell, BellRing, Check, Pencil, Trash2, Users } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Link } from '#app/ui/link.tsx'
import { toast } from '#app/ui/toast.tsx'
import { dealsHref, readDealsQuery } from '../query.ts'
import type { SavedView } from './use-current-view.ts'
import { nameIn, viewNameField } from './view-name.ts'

/** Shows a view, which opens it; its owner can rename and delete it. */
export function ViewItem({
  view,
  isCurrent,
  open,
  remove,
  isFollowed,
  follow,
}: {
  view: SavedView
  isCurrent: boolean
  open: () => void
  remove: () => void
  isFollowed: boolean
  follow: (isOn: boolean) => void
}) {
  const { name, isMine } = view
  const BellIcon = isFollowed ? BellRing : Bell
  const [isNaming, setNaming] = useState(false)
  if (isNaming)
    return (
      <li>
        <RenameViewForm view={view} onDone={() => setNaming(false)} />
      </li>
    )
  return (
    <li className="group flex items-center rounded-lg hover:bg-sunken">
      <ViewLink view={view} isCurrent={isCurrent} open={open} />
      <button
        type="button"
        aria-label={`Follow ${name}`}
        title={isFollowed ? 'Unfollow this view' : 'Follow this view'}
        aria-pressed={isFollowed}
        onClick={() => follow(!isFollowed)}
        className={square}
      >
        <BellIcon aria-hidden="true" className={`size-4 ${isFollowed ? 'text-accent' : ''}`} />
      </button>
      {isMine && (
        <>
          <button
            type="button"
            aria-label={`Rename ${name}`}
            onClick={() => setNaming(true)}
            className={square}
          >
            <Pencil aria-hidden="true" className="size-4" />
          </button>
          <button type="button" aria-label={`Delete ${name}`} onClick={remove} className={square}>
            <Trash2 aria-hidden="true" className="size-4" />
          </button>
        </>
      )}
    </li>
  )
}

function ViewLink({
  view: { id, name, query, isShared, isMine, ownerName },
  isCurrent,
  open,
}: {
  view: SavedView
  isCurrent: boolean
  open: () => void
}) {
  return (
    <Link
      prefetch={false}
      href={dealsHref({ ...readDealsQuery(new URLSearchParams(query)), view: id }, usePathname())}
      aria-current={isCurrent || undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        open()
      }}
      className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 px-2.5 py-1"
    >
      <Check aria-hidden="true" className={`size-4 shrink-0 text-accent ${isCurrent ? '' : 'opacity-0'}`} />
      <span className="min-w-0">
        <span className="block truncate">{name}</span>
        {isShared && (
          <span className="flex items-center gap-1 truncate text-xs text-ink-soft">
            <Users aria-hidden="true" className="size-3" />
            Team{isMine ? '' : ` · ${ownerName}`}
          </span>
        )}
      </span>
    </Link>
  )
}

const square =
  'mr-1 grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-surface hover:text-ink'

/** Shows the form that renames a view. Calls `onDone` once it is renamed, or with Esc. */
function RenameViewForm({ view: { id, name }, onDone }: { view: SavedView; onDone: () => void }) {
  const { views } = trpc.useUtils()
  const rename = trpc.views.rename.useMutation({
    onSuccess: () => views.list.invalidate().then(onDone),
    onError: (failure) =>
      toast.error(
        failure.data?.code === 'BAD_REQUEST'
          ? 'You already have a view with this name.'
          : failureMessage(failure),
      ),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate({ id, name: nameIn(event) })
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.stopPropagation()
          onDone()
        }
      }}
      className="flex gap-2 p-1"
    >
      <input
        name="name"
        aria-label="View name"
        defaultValue={name}
        required
        maxLength={80}
        autoFocus
        className={viewNameField}
      />
      <button type="submit" className={button.plain}>
        Rename
      </button>
    </form>
  )
}
