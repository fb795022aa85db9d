'use client'

import { button } from '#app/ui/button.ts'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { Dialog } from '#app/ui/dialog.tsx'
import { linkLifetimeMs } from '#server/accounts/policy.ts'
import { formatSpan } from '#server/protocol/units.ts'
import type { ShownLink } from './use-team.ts'

/** Shows a link to send by hand, once. */
export function LinkDialog({ shown, onClose }: { shown: ShownLink; onClose: () => void }) {
  return (
    <Dialog title={linkTitles[shown.kind]} onClose={onClose}>
      <LinkShown shown={shown} onClose={onClose} />
    </Dialog>
  )
}

export const linkTitles: Record<ShownLink['kind'], string> = {
  invitation: 'Send the invitation link',
  reset: 'Password reset link',
}

/** Shows the content of the dialog. */
export function LinkShown({
  shown: { email, link, kind },
  onClose,
}: {
  shown: ShownLink
  onClose: () => void
}) {
  return (
    <>
      <p className="mb-3 text-pretty">
        Send this link to <strong className="font-semibold wrap-anywhere">{email}</strong>. It works once and
        expires in {formatSpan(linkLifetimeMs[kind])}. It was not e-mailed and cannot be shown again. Anyone
        who has it can sign in, so share it with no one else.
      </p>
      <textarea
        readOnly
        value={link}
        aria-label="Link"
        rows={3}
        onFocus={({ currentTarget }) => currentTarget.select()}
        className="w-full rounded-lg border border-control bg-sunken p-3 font-mono text-xs"
      />
      <div className="mt-4 flex flex-wrap justify-end gap-3">
        <CopyButton label="Copy link" confirmation="Link copied." text={() => link} />
        <button type="button" onClick={onClose} className={button.plain}>
          Done
        </button>
      </div>
    </>
  )
}
