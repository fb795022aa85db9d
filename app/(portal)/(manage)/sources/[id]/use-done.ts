import { trpc } from '#app/trpc.ts'
import { useRouter } from '#app/ui/link.tsx'
import { done, toastRefusal } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { Source } from '../labels.ts'

/**
 * Returns a function that creates mutation options: on success, refresh the sources, show `text` and call
 * `onDone`. Does not repeat queries of the CRM itself, such as that for its properties.
 */
export function useDone() {
  const { sources } = trpc.useUtils()
  const reload = () => Promise.all([sources.get.invalidate(), sources.list.invalidate()])
  return (text: string | null = null, onDone?: () => void) => done(reload, text, onDone)
}

/** Returns a mutation that disconnects a source, then returns to the list. */
export function useDisconnect({ id }: Pick<Source, 'id'>, text: string) {
  const router = useRouter()
  const { sources } = trpc.useUtils()
  const { mutate } = trpc.sources.disconnect.useMutation({
    async onSuccess() {
      router.push('/sources')
      await sources.list.invalidate()
      toast.success(text)
    },
    onError: toastRefusal,
  })
  return () => mutate({ id })
}
