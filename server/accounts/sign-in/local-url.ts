/**
 * Returns the redirect URL: at the first of these origins, with the requested path if it belongs to any of
 * them.
 */
export function localUrl(asked: string, [own, ...others]: [string, ...string[]]): string {
  const url = URL.canParse(asked, own) ? new URL(asked, own) : null
  return url !== null && [own, ...others].includes(url.origin) ? own + url.pathname + url.search : own
}
