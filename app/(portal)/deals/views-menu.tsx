'use client'

import { hashKey } from '@tanstack/react-query'
import { Bell, BellRing, Check, Pencil, Trash2, Users } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { IconButton } from '#app/ui/button.tsx'
import { failureMessage } from '#app/ui/failure-message.ts'
import { Link } from '#app/ui/link.tsx'
import { SectionNotLoaded } from '#app/ui/states.tsx'
import { useZone } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { RelativeDays } from '#server/search/filter-text.ts'
import type { DealFilter } from '#server/search/wire.ts'
import { dayOf } from '#server/values/zone.ts'
import { builtInViews } from './built-in-views.ts'
import {
  dealsHref,
  type DealsState,
  filterOf,
  type FilterState,
  noFilter,
  readDealsQuery,
  relativeDaysOf,
  viewQuery,
} from './query.ts'
import type { CurrentView, SavedView, ChangeDealsState, DealsQuery } from './use-deals-state.ts'

/** Shows the views of the user and the team, and saves the current view. */
export function ViewsMenu({
  current: { view, isChanged },
  close,
  ...query
}: Pick<DealsQuery, 'state' | 'change'> & { current: CurrentView; close: () => void }) {
  const { open, save, remove, isSaving } = useViewActions(query, close)
  return (
    <div className="flex min-h-0 w-84 max-w-full flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto p-1.5">
        <BuiltInList {...query} close={close} />
        <Views currentId={view?.id} open={open} remove={remove} />
      </div>
      {view !== null && isChanged && (
        <div className="flex flex-wrap gap-2 border-t border-line p-3">
          {view.isMine && (
            <button type="button" onClick={() => save(view.name, view.isShared)} className={button.plain}>
              Save changes
            </button>
          )}
          <button type="button" onClick={() => open(view)} className={button.plain}>
            Reset to “<span className="max-w-32 truncate">{view.name}</span>”
          </button>
        </div>
      )}
      <SaveViewForm busy={isSaving} save={save} />
    </div>
  )
}

function Views({
  currentId,
  open,
  remove,
}: {
  currentId: SavedView['id'] | undefined
  open: (view: SavedView) => void
  remove: (view: SavedView) => void
}) {
  const query = trpc.views.list.useQuery()
  const { data: views } = query
  const { followed, follow } = useFollowedViews(views)
  if (views === undefined) return <SectionNotLoaded what="views" query={query} className="p-2.5" />
  if (views.length === 0)
    return (
      <p className="p-2.5 text-pretty text-ink-soft">
        No views yet. Save the current search, filters, order and columns for yourself or your team.
      </p>
    )
  return (
    <ul aria-label="Views">
      {views.map((view) => (
        <ViewItem
          key={view.id}
          view={view}
          isCurrent={view.id === currentId}
          open={() => open(view)}
          remove={() => remove(view)}
          isFollowed={followed.has(view.id)}
          follow={(isOn) => follow(view, isOn)}
        />
      ))}
    </ul>
  )
}

/** Lists the built-in views. Opening one keeps the columns and density. */
function BuiltInList({
  state,
  change,
  close,
}: {
  state: DealsState
  change: ChangeDealsState
  close: () => void
}) {
  const { columns, density } = state
  return (
    <ul aria-label="Built-in views" className="mb-1.5 border-b border-line pb-1.5">
      {builtInViews.map(({ name, query }) => {
        const next = { ...readDealsQuery(new URLSearchParams(query)), columns, density, view: null }
        return (
          <li key={name} className="flex">
            <ViewLink
              state={next}
              isCurrent={state.view === null && viewQuery(state) === viewQuery(next)}
              open={() => {
                change({ ...noFilter, ...next })
                close()
              }}
            >
              <span className="block truncate">{name}</span>
            </ViewLink>
          </li>
        )
      })}
    </ul>
  )
}

function SaveViewForm({ busy, save }: { busy: boolean; save: (name: string, isShared: boolean) => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) save(nameIn(event), new FormData(event.currentTarget).has('isShared'))
      }}
      className="space-y-2.5 border-t border-line p-3"
    >
      <label className="block">
        <span className="mb-1.5 block font-medium">Save current view</span>
        <input
          name="name"
          required
          pattern=".*\S.*"
          maxLength={80}
          placeholder="Name"
          autoComplete="off"
          className={viewNameField}
        />
      </label>
      <div className="flex items-center justify-between gap-3">
        <label className="flex items-center gap-2">
          <input type="checkbox" name="isShared" className="size-4 accent-accent" />
          Share with team
        </label>
        <button type="submit" aria-busy={busy} className={button.plain}>
          Save
        </button>
      </div>
    </form>
  )
}

/** Returns the filters of followed views by ID, and a function that follows or unfollows a view. */
function useFollowedViews(views: readonly SavedView[] | undefined) {
  const today = dayOf(new Date(), useZone())
  const { notifications } = trpc.useUtils()
  const { data } = trpc.notifications.views.useQuery()
  const { mutate } = trpc.notifications.followView.useMutation({
    onSettled: () => notifications.views.invalidate(),
    onError: toastFailure,
  })
  const followed = new Map(data?.map(({ viewId, ...choice }) => [viewId, choice]))
  // The filter of a followed view changes when the view is saved again or, for relative days, at midnight.
  const outdated = views
    ?.map(({ id, query }) => ({ id, ...choiceOfView(query, today) }))
    .find(({ id, ...choice }) => followed.has(id) && hashKey([choice]) !== hashKey([followed.get(id)]))
  const outdatedKey = outdated && hashKey([outdated])
  useEffect(() => {
    if (outdatedKey !== undefined) mutate((JSON.parse(outdatedKey) as [Parameters<typeof mutate>[0]])[0])
  }, [outdatedKey, mutate])
  return {
    followed,
    follow({ id, name, query }: SavedView, isOn: boolean) {
      mutate(isOn ? { id, ...choiceOfView(query, today) } : { id, filter: null }, {
        onSuccess: () =>
          void toast.success(isOn ? `You follow the deals in “${name}”.` : `You no longer follow “${name}”.`),
      })
    },
  }
}

function choiceOfView(query: string, today: string): { filter: DealFilter; relativeDays: RelativeDays } {
  const state = readDealsQuery(new URLSearchParams(query)) as FilterState
  return { filter: filterOf(state, today), relativeDays: relativeDaysOf(state) }
}

function useViewActions({ state, change }: Pick<DealsQuery, 'state' | 'change'>, close: () => void) {
  const { views } = trpc.useUtils()
  const onSuccess = () => views.list.invalidate()
  const saving = trpc.views.save.useMutation({ onError: toastFailure, onSuccess })
  const removing = trpc.views.remove.useMutation({ onError: toastFailure, onSuccess })

  function open({ id, query }: Pick<SavedView, 'id' | 'query'>) {
    change({ ...readDealsQuery(new URLSearchParams(query)), view: id })
    close()
  }

  function save(name: string, isShared: boolean) {
    saving.mutate(
      { name, isShared, query: viewQuery(state) },
      {
        onSuccess: ({ id }) => {
          change({ view: id })
          close()
          toast.success(`“${name}” saved${isShared ? ' for your team' : ''}.`)
        },
      },
    )
  }

  function remove({ id, name, query, isShared }: SavedView) {
    removing.mutate(
      { id },
      {
        onSuccess: () =>
          toast(`“${name}” deleted.`, {
            action: { label: 'Undo', onClick: () => saving.mutate({ name, query, isShared }) },
          }),
      },
    )
  }

  return { open, save, remove, isSaving: saving.isPending }
}

function ViewItem({
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
  const { id, name, query, isShared, isMine, ownerName } = view
  const [isNaming, setNaming] = useState(false)
  if (isNaming)
    return (
      <li>
        <RenameViewForm view={view} onDone={() => setNaming(false)} />
      </li>
    )
  const BellIcon = isFollowed ? BellRing : Bell
  const buttons = [
    { act: 'Follow', icon: BellIcon, isOn: isFollowed, onClick: () => follow(!isFollowed) },
    { act: 'Rename', icon: Pencil, onClick: () => setNaming(true) },
    { act: 'Delete', icon: Trash2, onClick: remove },
  ]
  return (
    <li className="flex items-center rounded-lg hover:bg-sunken">
      <ViewLink
        state={{ ...readDealsQuery(new URLSearchParams(query)), view: id }}
        isCurrent={isCurrent}
        open={open}
      >
        <span className="block truncate">{name}</span>
        {isShared && (
          <span className="flex items-center gap-1 truncate text-xs text-ink-soft">
            <Users aria-hidden="true" className="size-3" />
            Team{isMine ? '' : ` · ${ownerName}`}
          </span>
        )}
      </ViewLink>
      {buttons.slice(0, isMine ? 3 : 1).map(({ act, icon, isOn, onClick }) => (
        <IconButton
          key={act}
          icon={icon}
          label={`${act} ${name}`}
          title={isOn ? 'Unfollow this view' : `${act} this view`}
          aria-pressed={isOn}
          onClick={onClick}
          iconLook={`size-4 ${isOn ? 'text-accent' : ''}`}
          className="mr-1 size-8 shrink-0 rounded-md hover:bg-surface!"
        />
      ))}
    </li>
  )
}

/** Links to a view. `open` opens the view without loading the page again. */
function ViewLink({
  state,
  isCurrent,
  open,
  children,
}: {
  state: Parameters<typeof dealsHref>[0]
  isCurrent: boolean
  open: () => void
  children: ReactNode
}) {
  return (
    <Link
      prefetch={false}
      href={dealsHref(state, usePathname())}
      aria-current={isCurrent || undefined}
      onNavigate={(event) => {
        event.preventDefault()
        open()
      }}
      className="flex min-h-9 min-w-0 flex-1 items-center gap-2.5 rounded-lg px-2.5 py-1 hover:bg-sunken"
    >
      <Check aria-hidden="true" className={`size-4 shrink-0 text-accent ${isCurrent ? '' : 'opacity-0'}`} />
      <span className="min-w-0">{children}</span>
    </Link>
  )
}

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

const nameIn = (event: FormEvent<HTMLFormElement>) =>
  String(new FormData(event.currentTarget).get('name')).trim()

const viewNameField =
  'h-9 w-full min-w-0 rounded-lg border border-control bg-surface px-3 text-base placeholder:text-ink-soft sm:text-sm'
