import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import type { Source } from '../labels.ts'

/** Shows what can be done with a source. */
export function SourceActions({ source: { id, name, pausedAt } }: { source: Source }) {
  const router = useRouter()
  const { sources } = trpc.useUtils()
  const does = (said: string) => ({
    onSuccess: async () => {
      await sources.invalidate()
      toast.success(said)
    },
    onError: (error: Parameters<typeof refusalMessage>[0]) => void toast.error(refusalMessage(error)),
  })
  const refresh = trpc.sources.refresh.useMutation(does('Reading changes.'))
  const compare = trpc.sources.compare.useMutation(does('Comparing all deals.'))
  const pause = trpc.sources.pause.useMutation(does(`${name} paused.`))
  const resume = trpc.sources.resume.useMutation(does(`${name} resumed.`))
  const disconnect = trpc.sources.disconnect.useMutation({
    ...does(`${name} disconnected.`),
    onSuccess: async () => {
      router.push('/sources')
      await sources.list.invalidate()
      toast.success(`${name} disconnected.`)
    },
  })
  return (
    <>
      <button type="button" className={button.plain} onClick={() => refresh.mutate({ id })}>
        Read now
      </button>
      <button type="button" className={button.plain} onClick={() => compare.mutate({ id })}>
        Compare now
      </button>
      <button
        type="button"
        className={button.plain}
        onClick={() => (pausedAt === null ? pause : resume).mutate({ id })}
      >
        {pausedAt === null ? 'Pause' : 'Resume'}
      </button>
      <Confirm
        trigger={
          <button type="button" className={button.plain}>
            Disconnect
          </button>
        }
        title={`Disconnect ${name}?`}
        yes="Disconnect"
        no="Cancel"
        onYes={() => disconnect.mutate({ id })}
      >
        Its token and mapping are deleted. Deals stay as they are and no longer follow changes.
      </Confirm>
    </>
  )
}
