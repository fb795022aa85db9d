/** How many deals a page of the list shows: as many as the procedure gives at once. */
export const pageSize = 25

/** The page that the address asks for; the first when it asks for none that can be. */
export function pageNumber(asked: unknown): number {
  return typeof asked === 'string' && /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : 1
}

/** The address of a page of the list. */
export const dealsHref = (page: number) => (page === 1 ? '/deals' : `/deals?page=${page}`)

/** What the procedure is asked for a page of the list. */
export const dealsInput = (page: number) => ({ page, size: pageSize })
