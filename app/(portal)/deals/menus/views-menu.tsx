'use client'

import { Check, Pencil, Trash2, Users } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Link } from '#app/ui/link.tsx'
import { toast } from '#app/ui/toast.tsx'
import { type DealsState, dealsHref, readDealsQuery, viewQuery } from '../query.ts'
import type { ChangeDealsState } from '../use-deals-state.ts'
import type { CurrentView } from './use-current-view.ts'

type View = CurrentView['view'] & {}

/** Shows the views of the user and the team, and saves the current one. */
export function ViewsMenu({
  state,
  change,
  current,
  close,
}: {
  state: DealsState
  change: ChangeDealsState
  current: CurrentView
  close: () => void
}) {
  const { data: views, error, refetch } = trpc.views.list.useQuery()
  const { views: cached } = trpc.useUtils()
  const onError = (failure: unknown) => toast.error(failureMessage(failure))
  const onSuccess = () => cached.list.invalidate()
  const save = trpc.views.save.useMutation({ onError, onSuccess })
  const remove = trpc.views.remove.useMutation({ onError, onSuccess })
  const query = viewQuery(state)
  const { view, isChanged } = current

  const open = ({ id, query: kept }: Pick<View, 'id' | 'query'>) =>
    change({ ...readDealsQuery(new URLSearchParams(kept)), view: id })

  function keep(name: string, isShared: boolean) {
    save.mutate(
      { name, isShared, query },
      {
        onSuccess: ({ id }) => {
          change({ view: id })
          close()
          toast.success(`“${name}” saved${isShared ? ' for your team' : ''}.`)
        },
      },
    )
  }

  function drop({ id, name, query: kept, isShared }: View) {
    remove.mutate(
      { id },
      {
        onSuccess: () =>
          toast(`“${name}” deleted.`, {
            action: { label: 'Undo', onClick: () => save.mutate({ name, query: kept, isShared }) },
          }),
      },
    )
  }

  return (
    <div className="flex min-h-0 w-84 max-w-full flex-col">
      <div className="min-h-0 flex-1 overflow-y-auto p-1.5">
        {error !== null ? (
          <p className="p-2.5 text-ink-soft">
            Could not load views.{' '}
            <button type="button" onClick={() => void refetch()} className="underline">
              Try again
            </button>
          </p>
        ) : views === undefined ? (
          <p className="p-2.5 text-ink-soft">Loading…</p>
        ) : views.length === 0 ? (
          <p className="p-2.5 text-pretty text-ink-soft">
            No views yet. Save the current search, filters, order and columns for yourself or your team.
          </p>
        ) : (
          <ul aria-label="Views">
            {views.map((each) => (
              <ViewItem
                key={each.id}
                view={each}
                isCurrent={each.id === view?.id}
                open={() => {
                  open(each)
                  close()
                }}
                remove={() => drop(each)}
              />
            ))}
          </ul>
        )}
      </div>
      {view !== null && isChanged && (
        <div className="flex flex-wrap gap-2 border-t border-line p-3">
          {view.isMine && (
            <button type="button" onClick={() => keep(view.name, view.isShared)} className={button.plain}>
              Save changes
            </button>
          )}
          <button
            type="button"
            onClick={() => {
              open(view)
              close()
            }}
            className={button.plain}
          >
            Reset to “<span className="max-w-32 truncate">{view.name}</span>”
          </button>
        </div>
      )}
      <SaveForm busy={save.isPending} save={keep} />
    </div>
  )
}

function ViewItem({
  view: { id, name, query, isShared, isMine, ownerName },
  isCurrent,
  open,
  remove,
}: {
  view: View
  isCurrent: boolean
  open: () => void
  remove: () => void
}) {
  const [isNaming, setNaming] = useState(false)
  const { views: cached } = trpc.useUtils()
  const rename = trpc.views.rename.useMutation({
    onSuccess: () => cached.list.invalidate().then(() => setNaming(false)),
    onError: (failure) =>
      toast.error(
        failure.data?.code === 'BAD_REQUEST'
          ? 'You already have a view with this name.'
          : failureMessage(failure),
      ),
  })
  if (isNaming) {
    return (
      <li>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            rename.mutate({ id, name: nameIn(event) })
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation()
              setNaming(false)
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
            className={control}
          />
          <button type="submit" className={button.plain}>
            Rename
          </button>
        </form>
      </li>
    )
  }
  return (
    <li className="group flex items-center rounded-lg hover:bg-sunken">
      <Link
        prefetch={false}
        href={dealsHref({ ...readDealsQuery(new URLSearchParams(query)), view: id })}
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

function SaveForm({ busy, save }: { busy: boolean; save: (name: string, isShared: boolean) => void }) {
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
          className={control}
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

const nameIn = (event: FormEvent<HTMLFormElement>) =>
  String(new FormData(event.currentTarget).get('name')).trim()

const control =
  'h-9 w-full min-w-0 rounded-lg border border-control bg-surface px-3 text-base placeholder:text-ink-soft sm:text-sm'
const square =
  'mr-1 grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-surface hover:text-ink'
