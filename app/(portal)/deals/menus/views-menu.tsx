'use client'

import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import { BuiltInList } from './built-in-list.tsx'
import { SaveViewForm } from './save-view-form.tsx'
import type { CurrentView, SavedView } from './use-current-view.ts'
import { useFollowedViews } from './use-followed-views.ts'
import { useViewActions } from './use-view-actions.ts'
import { ViewItem } from './view-item.tsx'

/** Shows the views of the user and the team, and saves the current one. */
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
  const { data: views, error, refetch } = trpc.views.list.useQuery()
  const { followed, follow } = useFollowedViews(views)
  if (error !== null)
    return (
      <p className="p-2.5 text-ink-soft">
        Could not load views.{' '}
        <button type="button" onClick={() => void refetch()} className="underline">
          Try again
        </button>
      </p>
    )
  if (views === undefined) return <p className="p-2.5 text-ink-soft">Loading…</p>
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
