import { History } from 'lucide-react'
import { procedures, readPageView } from '#app/trpc-server.ts'
import { formatIn } from '#app/ui/format.ts'
import { staleAfterMs } from '#server/sources/policy.ts'

/** Warns that deals are outdated if their sources have not been read for long. */
export async function StaleBanner() {
  const [asOf, { zone }] = await Promise.all([readAsOf(), readPageView()])
  if (asOf === null || Date.now() - asOf.getTime() < staleAfterMs) return null
  return (
    <aside aria-label="Data is not current" className="bg-wait-soft px-4 py-2 text-wait">
      <p className="mx-auto flex max-w-7xl items-center justify-center gap-2 text-pretty">
        <History aria-hidden="true" className="size-4 shrink-0" />
        Deals are as of {formatIn(zone).formatInstant(asOf)}. Newer changes appear once the CRM can be read
        again.
      </p>
    </aside>
  )
}

/** Returns the time up to which deals are current; null if irrelevant or unknown. */
async function readAsOf(): Promise<Date | null> {
  try {
    return await (await procedures()).deals.asOf()
  } catch {
    return null
  }
}
