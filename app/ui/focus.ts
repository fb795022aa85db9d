/** Returns whether the focus is nowhere in particular: on the document, or on the page as a whole. */
export const isFocusFree = () =>
  document.activeElement === document.body || document.activeElement?.id === 'content'
