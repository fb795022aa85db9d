/**
 * Returns a URL of this site with `?partner=<slug>`, or without it for null, replacing any earlier one.
 * The rest of the URL stays unchanged.
 */
export function withPartner(href: string, slug: string | null): string {
  const [, path, query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(href)!
  // A link to a heading of the same page.
  if (path === '' && query === '') return href
  const pairs = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== 'partner')
  if (slug !== null) pairs.push(`partner=${encodeURIComponent(slug)}`)
  return `${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}${hash}`
}

/**
 * Returns the page to show after an operator at `path` selects another partner: an item of the previous
 * partner becomes its list.
 */
export function withOtherPartner(path: string, query: string, slug: string | null): string {
  const list = path.replace(/\/\d+$/, '')
  return withPartner(list === path ? `${path}?${query}` : list, slug)
}
