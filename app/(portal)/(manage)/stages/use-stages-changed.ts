import { trpc } from '#app/trpc.ts'
import { useRouter } from '#app/ui/use-router.ts'

/** Returns what reads the stages again, wherever they are shown. */
export function useStagesChanged(): () => Promise<void> {
  const router = useRouter()
  const utils = trpc.useUtils()
  return async () => {
    await Promise.all([
      utils.stages.editable.invalidate(),
      utils.deals.board.invalidate(),
      utils.deals.choices.invalidate(),
      utils.insight.overview.invalidate(),
    ])
    // The layout has read the stages for all badges.
    router.refresh()
  }
}
