/**
 * Returns the page to open after sign-in: the requested page if it is on this site, otherwise the home page.
 */
export function localPath(requested: unknown): string {
  const home = '/'
  if (
    typeof requested !== 'string' ||
    !requested.startsWith('/') ||
    !URL.canParse(requested, 'http://here.invalid')
  )
    return home
  const { origin, pathname, search } = new URL(requested, 'http://here.invalid')
  // Browsers treat a path that starts with two slashes as another host.
  if (origin !== 'http://here.invalid' || pathname.startsWith('//') || pathname === '/sign-in') return home
  return pathname + search
}
