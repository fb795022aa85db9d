/** Returns whether nothing specific has the focus: only the document, or the page as a whole. */
export const isFocusFree = () =>
  document.activeElement === document.body || document.activeElement?.id === 'content'

/** Returns whether the target accepts text, so that letters are not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}

/** Returns whether an element may have the focus again: not if a dialog without it has opened in the meantime. */
export function canRestoreFocus(opener: Element | null): opener is HTMLElement {
  const dialog = document.activeElement?.closest('[role=dialog], [role=alertdialog]')
  return opener instanceof HTMLElement && (dialog == null || dialog.contains(opener))
}
