'use client'

import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Shows a string for the user to copy by hand. */
export function CopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <Dialog title="Copy this text" isTitleShown={false} onClose={onClose}>
      <p className="mb-3 text-pretty">
        Your browser blocked copying. The text is selected: copy it with your keyboard.
      </p>
      <textarea
        readOnly
        value={text}
        aria-label="Text to copy"
        rows={3}
        onFocus={({ currentTarget }) => currentTarget.select()}
        className="w-full rounded-lg border border-control bg-surface p-3 font-mono text-xs"
      />
      <Button onClick={onClose} className="mt-4 self-end">
        Close
      </Button>
    </Dialog>
  )
}
