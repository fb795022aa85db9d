'use client'

import { Link2, SquareTerminal } from 'lucide-react'
import { usePartnerHref } from '#app/partner.tsx'
import { CopyButton } from '#app/ui/copy.tsx'
import { isManager } from '#server/accounts/role.ts'
import { useViewer } from '../../viewer-of-page.tsx'

/** Copies the deal's link and, for those who have tokens, a command that reads it. */
export function CopyButtons({ id }: { id: string }) {
  const hrefOf = usePartnerHref()
  const { role } = useViewer()
  return (
    <div className="flex flex-wrap gap-2 max-sm:hidden">
      <CopyButton
        icon={Link2}
        label="Copy link"
        confirmation="Link copied."
        text={() => `${window.location.origin}${hrefOf(`/deals/${id}`)}`}
      />
      {/* Members have no tokens. */}
      {isManager(role) && (
        <CopyButton
          icon={SquareTerminal}
          label="Copy as curl"
          confirmation="Command copied. It needs a token in $TOKEN."
          text={() => `curl -H "Authorization: Bearer $TOKEN" "${window.location.origin}/api/deals/${id}"`}
        />
      )}
    </div>
  )
}
