/** Returns whether nothing specific has the focus: only the document, or the page as a whole. */
export const isFocusFree = () =>
  document.activeElement === document.body || document.activeElement?.id === 'content'

/** Returns whether the target accepts text, so that letters are not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
