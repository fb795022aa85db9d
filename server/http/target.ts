/** Splits a request target, which may be absolute (RFC 9112, section 3.2), into path and query. */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^\w+:\/\/[^/?]*/, '')
  const mark = local.indexOf('?')
  const path = mark < 0 ? local : local.slice(0, mark)
  return { path: path || '/', search: mark < 0 ? '' : local.slice(mark + 1) }
}
