/** Returns the URL to redirect to: `own`, an origin, with the requested path if it is on that origin. */
export function localUrl(asked: string, own: string): string {
  const url = URL.canParse(asked, own) ? new URL(asked, own) : null
  return url?.origin === own ? own + url.pathname + url.search : own
}
