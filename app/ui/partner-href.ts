/** Returns the URL with the query parameter `partner` set to `slug`, or removed for null. */
export function withPartner(href: string, slug: string | null): string {
  const [, path, query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(href)!
  // A link to a heading on the same page.
  if (path === '' && query === '') return href
  const pairs = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== 'partner')
  if (slug !== null) pairs.push(`partner=${encodeURIComponent(slug)}`)
  return `${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}${hash}`
}

/** Returns the page for another partner: the same page, but for a single item its list. */
export function withOtherPartner(path: string, query: string, slug: string | null): string {
  const list = path.replace(/\/\d+$/, '')
  return withPartner(list === path ? `${path}?${query}` : list, slug)
}
