/** Elements to highlight: the smallest of these that contains the change. */
const parts = 'dd, li, tr, [role=row], h1, p'
const markMs = 4000

/** Highlights what changes on the page within `forMs`, for a few seconds. */
export function markChanges(forMs: number): void {
  const page = document.querySelector('#content')
  if (page === null) return
  const observer = new MutationObserver((changes) => {
    for (const part of new Set(changes.flatMap(partOf))) mark(part)
  })
  observer.observe(page, { childList: true, characterData: true, subtree: true })
  setTimeout(() => observer.disconnect(), forMs)
}

/** Returns the part of the page that contains a change; none for a new part, or a relative time. */
function partOf({ target }: MutationRecord): Element[] {
  const element = target instanceof Element ? target : target.parentElement
  if (element === null || element.closest('time, [role=status]') !== null) return []
  return [element.closest(parts) ?? []].flat()
}

function mark(part: Element): void {
  const colour = getComputedStyle(part).getPropertyValue('--info-soft')
  for (const cell of part.matches('[role=row]') ? part.children : [part])
    cell.animate([{ backgroundColor: colour }, { backgroundColor: colour }, {}], {
      duration: markMs,
      easing: 'ease-out',
    })
}
