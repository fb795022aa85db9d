import { Eye } from 'lucide-react'
import { PartnerLink } from '#app/ui/link.tsx'
import { usePartnerSwitch } from './use-partner-switch.ts'
import type { PartnerLabel } from './viewer.ts'

/** Shows an operator the partner they view the portal as, and a link back to all partners. */
export function PartnerBanner({ partner }: { partner: PartnerLabel }) {
  const switchTo = usePartnerSwitch()
  return (
    <aside
      aria-label="Viewing as a partner"
      className="flex min-h-10 flex-wrap items-center justify-center gap-x-4 gap-y-1 bg-wait px-4 py-1.5 text-canvas"
    >
      <p role="status" className="flex min-w-0 items-center gap-2">
        <Eye aria-hidden="true" className="size-4 shrink-0" />
        <span className="min-w-0 truncate">
          Viewing as <strong className="font-semibold">{partner.name}</strong>
        </span>
      </p>
      <PartnerLink
        partner={null}
        href={switchTo(null)}
        className="inline-flex h-7 items-center rounded-md border border-canvas/50 px-2.5 font-medium hover:bg-canvas/15 focus-visible:outline-canvas"
      >
        Back to all partners
      </PartnerLink>
    </aside>
  )
}
