'use client'

import { button } from '#app/ui/button-styles.ts'
import { nameIn, viewNameField } from './view-name.ts'

/** Shows the form that saves the current view, for the user or the team. */
export function SaveViewForm({
  busy,
  save,
}: {
  busy: boolean
  save: (name: string, isShared: boolean) => void
}) {
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
