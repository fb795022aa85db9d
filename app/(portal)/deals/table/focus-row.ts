/** Focuses the link of the row that an element is in, from which the keys of the list go on. */
export const focusRow = (within: Element) =>
  within.closest('[data-index]')?.querySelector('a')?.focus({ preventScroll: true })
