import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { SystemHealth } from './health.ts'
import { verdictText } from './labels.ts'

/** Says in one sentence whether all is well. */
export function AllWell({ health }: { health: Pick<SystemHealth, 'troubles' | 'mail'> }) {
  const isWell = health.troubles.length === 0
  const Icon = isWell ? CircleCheck : TriangleAlert
  return (
    <p className="mb-6 flex items-center gap-3 rounded-xl border border-line bg-surface p-5 text-base font-semibold sm:px-6">
      <Icon aria-hidden="true" className={`size-5 shrink-0 ${isWell ? 'text-good' : 'text-bad'}`} />
      {verdictText(health)}
    </p>
  )
}
