'use client'

import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import type { Import } from '../labels.ts'

type Failure = Parameters<typeof refusalMessage>[0]

// The import has changed in the meantime.
const isOutdated = ({ data }: Failure) => data?.code === 'PRECONDITION_FAILED'

/** Returns the actions on an import, of which one runs at a time, and why the last one failed. */
export function useActions({ id, state }: Pick<Import, 'id' | 'state'>) {
  const router = useRouter()
  const { imports } = trpc.useUtils()
  const refresh = () => imports.one.invalidate({ id })
  const onError = (error: Failure) => {
    if (isOutdated(error)) void refresh()
  }
  const check = trpc.imports.check.useMutation({ onSuccess: refresh, onError })
  const start = trpc.imports.start.useMutation({ onSuccess: refresh, onError })
  const undo = trpc.imports.undo.useMutation({
    async onSuccess({ id: undoId }) {
      router.push(`/imports/${undoId}`)
      await imports.list.invalidate()
    },
    onError,
  })
  const startQuietly = trpc.imports.start.useMutation({ onSuccess: refresh, onError })
  const discard = trpc.imports.discard.useMutation({
    async onSuccess() {
      toast.success('File discarded.')
      if (state === 'importing') return refresh()
      router.push('/imports')
      await imports.list.invalidate()
    },
    onError,
  })
  const all = [check, start, startQuietly, undo, discard]
  const isBusy = all.some(({ isPending }) => isPending)
  const action = (isPending: boolean, mutate: () => void) => ({
    isPending,
    run: () => {
      if (!isBusy) mutate()
    },
  })
  const failure = all.map(({ error }) => error).find((error) => error !== null && !isOutdated(error))
  return {
    check: action(check.isPending, () => check.mutate({ id })),
    start: action(start.isPending, () => start.mutate({ id })),
    startQuietly: action(startQuietly.isPending, () => startQuietly.mutate({ id, events: false })),
    undo: action(undo.isPending, () => undo.mutate({ id })),
    discard: action(discard.isPending, () => discard.mutate({ id })),
    problem: failure ? refusalMessage(failure) : null,
  }
}
