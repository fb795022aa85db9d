'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { toast } from '#app/ui/toast.tsx'
import type { SavedView } from './use-current-view.ts'
import { nameIn, viewNameField } from './view-name.ts'

/** Shows the form that renames a view. Calls `onDone` once it is renamed, or with Esc. */
export function RenameViewForm({ view: { id, name }, onDone }: { view: SavedView; onDone: () => void }) {
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
