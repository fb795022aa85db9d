'use client'

import { button } from '#app/ui/button.ts'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { Dialog } from '#app/ui/dialog.tsx'
import type { ShownLink } from './use-team.ts'

/** A link to be sent by hand, which is shown this once. */
export function LinkDialog({ shown, onClose }: { shown: ShownLink; onClose: () => void }) {
  return (
    <Dialog title={linkTitles[shown.kind]} onClose={onClose}>
      <LinkShown shown={shown} onClose={onClose} />
    </Dialog>
  )
}

export const linkTitles: Record<ShownLink['kind'], string> = {
  invitation: 'One more step: send the link',
  reset: 'Link to set a new password',
}

/** What such a dialog says. */
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
        Send this link to <strong className="font-semibold wrap-anywhere">{email}</strong>; it works once,
        within {kind === 'invitation' ? '7 days' : 'an hour'}. It was not mailed, and it is shown only now.
        Whoever has it gets in, so send it to nobody else.
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
        <CopyButton label="Copy link" said="The link is copied." text={() => link} />
        <button type="button" onClick={onClose} className={button.plain}>
          Done
        </button>
      </div>
    </>
  )
}
