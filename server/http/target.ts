/** The path of a request, and the query without the question mark. */
export interface Target {
  path: string
  search: string
}

/**
 * Parses a request target (RFC 9112, section 3.2). All handlers use this result, so that all see the same
 * path. Returns null unless the path is in normal form: no empty segments, no `.` or `..`, and no encoded
 * dots, slashes, backslashes, control characters, or percent signs that hide any of these.
 */
export function parseTarget(target: string): Target | null {
  if (target === '') return null
  const local = target.startsWith('/') ? target : target.replace(absolute, '')
  const mark = local.indexOf('?')
  const path = (mark < 0 ? local : local.slice(0, mark)) || '/'
  // Clients do not send fragments, but some parsers would end the query at a `#`.
  const search = mark < 0 ? '' : local.slice(mark + 1).replaceAll('#', '%23')
  return isNormal(path) ? { path, search } : null
}

/** The start of an absolute target, which is sent to proxies. */
const absolute = /^https?:\/\/[^/?#\\]+/i

// Matches a path in which control characters, spaces, backslashes and non-ASCII characters are encoded.
const segments = /^(?:\/(?:[!"$&-.0-;=@-Z[\]^_a-z{|}~]|%[0-9A-F]{2})+)*\/?$/i

const encodedSeparator = /%(?:2[ef]|5c|[01][0-9a-f]|7f|25(?:25|2[ef]|5c|00))/i

function isNormal(path: string): boolean {
  if (!segments.test(path) || /\/\.{1,2}(?:\/|$)/.test(path) || encodedSeparator.test(path)) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
