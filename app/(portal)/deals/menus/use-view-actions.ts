'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'
import { readDealsQuery, viewQuery } from '../query.ts'
import type { DealsQuery } from '../use-deals-state.ts'
import type { SavedView } from './use-current-view.ts'

/** Returns what can be done with views: open, save and remove one. `close` closes the menu. */
export function useViewActions({ state, change }: Pick<DealsQuery, 'state' | 'change'>, close: () => void) {
  const { views } = trpc.useUtils()
  const onError = (failure: unknown) => toast.error(failureMessage(failure))
  const onSuccess = () => views.list.invalidate()
  const saving = trpc.views.save.useMutation({ onError, onSuccess })
  const removing = trpc.views.remove.useMutation({ onError, onSuccess })

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
