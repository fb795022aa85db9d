import { Eye } from 'lucide-react'
import type { PartnerLabel } from './viewer.ts'
import { useChoosePartner } from './use-choose-partner.ts'

/** Tells an operator that this is what a partner sees, and leads back. */
export function PartnerBanner({ partner }: { partner: PartnerLabel }) {
  const choose = useChoosePartner()
  return (
    <aside aria-label="Seen as a partner" className="flex min-h-10 flex-wrap items-center justify-center gap-x-4 gap-y-1 bg-wait px-4 py-1.5 text-canvas">
      <p role="status" className="flex min-w-0 items-center gap-2"><Eye aria-hidden="true" className="size-4 shrink-0" /><span className="min-w-0 truncate">You see the portal as <strong className="font-semibold">{partner.name}</strong></span></p>
      <button
        type="button"
        aria-busy={choose.isPending}
        onClick={() => choose.mutate({ slug: null }, { onSuccess: () => document.getElementById('partner')?.focus() })}
        className="h-7 rounded-md border border-canvas/50 px-2.5 font-medium hover:bg-canvas/15 focus-visible:outline-canvas"
      >
        Back to all partners
      </button>
    </aside>
  )
}
