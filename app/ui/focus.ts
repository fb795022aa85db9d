/** Returns true if nothing specific has the focus: only the document, or the page as a whole. */
export const isFocusFree = () =>
  document.activeElement === document.body || document.activeElement?.id === 'content'

/** Returns true if the target accepts text, so that letters must not act as shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}

/** Returns true if the element may get the focus back: not if another dialog has opened in the meantime. */
export function canRestoreFocus(opener: Element | null): opener is HTMLElement {
  const dialog = document.activeElement?.closest('[role=dialog], [role=alertdialog]')
  return opener instanceof HTMLElement && (dialog == null || dialog.contains(opener))
}
