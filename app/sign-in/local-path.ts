/** The page to go on to after signing in: the one asked for when it is one of this site's, otherwise the first one. */
export function localPath(asked: unknown): string {
  const home = '/'
  if (typeof asked !== 'string' || !asked.startsWith('/') || !URL.canParse(asked, 'http://here.invalid'))
    return home
  const { origin, pathname, search } = new URL(asked, 'http://here.invalid')
  // A path that begins with two slashes is the name of another host to whoever follows it.
  if (origin !== 'http://here.invalid' || pathname.startsWith('//') || pathname === '/sign-in') return home
  return pathname + search
}
