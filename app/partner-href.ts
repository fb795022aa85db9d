/**
 * Returns the address within this site with `?partner=<slug>`, or with null without, whatever it said before.
 * The rest of it stays as it is, letter by letter.
 */
export function withPartner(href: string, slug: string | null): string {
  const [, path, query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(href)!
  // A place on the page itself.
  if (path === '' && query === '') return href
  const pairs = query.split('&').filter((pair) => pair !== '' && pair.split('=')[0] !== 'partner')
  if (slug !== null) pairs.push(`partner=${encodeURIComponent(slug)}`)
  return `${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}${hash}`
}

/** Returns where an operator goes on who views the page at `path` and chooses another partner: what is one partner's own leads to the list of its kind. */
export function withOtherPartner(path: string, query: string, slug: string | null): string {
  const list = path.replace(/\/\d+$/, '')
  return withPartner(list === path ? `${path}?${query}` : list, slug)
}
