/** Focuses the link of the row that an element is in, from which the keys of the list go on. */
export const focusRow = (within: Element) =>
  within.closest('[data-index]')?.querySelector('a')?.focus({ preventScroll: true })

/** Takes the focus back to the active row, from what stood beside the rows and is closed. */
export const focusActiveRow = () =>
  document.querySelector<HTMLElement>('[data-index] a[tabindex="0"]')?.focus({ preventScroll: true })
