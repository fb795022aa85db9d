import { trpc } from '#app/trpc.ts'
import { useRouter } from '#app/ui/link.tsx'
import { toastRefusal } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import type { Source } from '../labels.ts'

/** Returns the options of a mutation that refreshes the sources, then shows `text` and calls `onDone`. */
export function useDone() {
  const { sources } = trpc.useUtils()
  return (text: string | null = null, onDone?: () => void) => ({
    async onSuccess() {
      await sources.invalidate()
      if (text !== null) toast.success(text)
      onDone?.()
    },
  })
}

/** Disconnects a source and returns to the list. */
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
