'use client'

import { Bell, BellRing, Check, Pencil, Trash2, Users } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useState } from 'react'
import { Link } from '#app/ui/link.tsx'
import { dealsHref, readDealsQuery } from '../query.ts'
import { RenameViewForm } from './rename-view-form.tsx'
import type { SavedView } from './use-current-view.ts'

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
