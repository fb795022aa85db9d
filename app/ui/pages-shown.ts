/** The pages that a navigation over `pages` of them shows on page `page`: the ends, those near by, and null for what is left out. */
export function pagesShown(page: number, pages: number): (number | null)[] {
  const near = [1, page - 1, page, page + 1, pages].filter((number) => number >= 1 && number <= pages)
  const shown: (number | null)[] = []
  let last = 0
  for (const number of [...new Set(near)].toSorted((a, b) => a - b)) {
    // A gap of one page is that page.
    if (number === last + 2) shown.push(last + 1)
    else if (number > last + 2) shown.push(null)
    shown.push(number)
    last = number
  }
  return shown
}
