'use client'

import { useState } from 'react'
import { Dialog } from '#app/ui/dialog.tsx'
import type { TeamRole } from '#server/accounts/role.ts'
import { InviteForm } from './invite-form.tsx'
import { LinkShown, linkTitles } from './link-dialog.tsx'
import type { ShownLink } from './use-team.ts'

/**
 * Invites a user, and shows the link if it was not mailed. `choices` are the partners that an operator can select,
 * null when there is only one; `choice` is the one selected at first.
 */
export function InviteDialog({
  onClose,
  ...form
}: {
  choices: { value: string; label: string }[] | null
  choice: string
  role: TeamRole
  onClose: () => void
}) {
  const [shown, show] = useState<ShownLink | null>(null)
  return (
    <Dialog title={shown === null ? 'Invite someone' : linkTitles.invitation} onClose={onClose}>
      {shown === null ? (
        <InviteForm {...form} onMailed={onClose} onLink={show} />
      ) : (
        <LinkShown shown={shown} onClose={onClose} />
      )}
    </Dialog>
  )
}
