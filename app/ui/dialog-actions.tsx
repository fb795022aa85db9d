import type { ComponentProps } from 'react'
import { button } from './button.ts'
import { SubmitButton } from './submit-button.tsx'

/** Shows the buttons at the end of a dialog: Cancel, and the one that submits, with the other props. */
export function DialogActions({
  onCancel,
  ...submit
}: ComponentProps<typeof SubmitButton> & { onCancel: () => void }) {
  return (
    <div className="flex flex-wrap justify-end gap-3">
      <button type="button" onClick={onCancel} className={`${button.plain} h-10`}>
        Cancel
      </button>
      <SubmitButton {...submit} />
    </div>
  )
}
