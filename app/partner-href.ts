/**
 * Returns a URL of this site with the query parameter `partner` set to `slug`, or removed for null. The rest
 * of the URL stays unchanged.
 */
export function withPartner(href: string, slug: string | null): string {
  const [, path, query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(href)!
  // A link to a heading on the same page.
  if (path === '' && query === '') return href
  const pairs = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== 'partner')
  if (slug !== null) pairs.push(`partner=${encodeURIComponent(slug)}`)
  return `${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}${hash}`
}

/**
 * Returns the page to show when an operator at `path` selects another partner. The page of a single item is
 * replaced with the list.
 */
export function withOtherPartner(path: string, query: string, slug: string | null): string {
  const list = path.replace(/\/\d+$/, '')
  return withPartner(list === path ? `${path}?${query}` : list, slug)
}
