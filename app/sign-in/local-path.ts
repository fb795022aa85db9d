/** Returns the page to open after sign-in: the requested one if it is on this site, otherwise the home page. */
export function localPath(asked: unknown): string {
  const home = '/'
  if (typeof asked !== 'string' || !asked.startsWith('/') || !URL.canParse(asked, 'http://here.invalid'))
    return home
  const { origin, pathname, search } = new URL(asked, 'http://here.invalid')
  // Browsers read a path that starts with two slashes as another host.
  if (origin !== 'http://here.invalid' || pathname.startsWith('//') || pathname === '/sign-in') return home
  return pathname + search
}
