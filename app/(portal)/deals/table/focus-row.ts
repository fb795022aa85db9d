/** Focuses the link of an element's row, from which the list's keys continue. */
export const focusRow = (within: Element) =>
  within.closest('[data-index]')?.querySelector('a')?.focus({ preventScroll: true })

/** Returns the focus to the active row after content next to the rows was closed. */
export const focusActiveRow = () =>
  document.querySelector<HTMLElement>('[data-index] a[tabindex="0"]')?.focus({ preventScroll: true })
