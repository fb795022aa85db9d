/** The path of a request, and its query without the question mark. */
export interface Target {
  path: string
  search: string
}

/**
 * Parses a request target (RFC 9112, section 3.2), once for all handlers, so that all see the same path. Returns null
 * unless the path is in normal form: without empty segments, `.` or `..`, and without encoded dots, slashes,
 * backslashes, control characters, or percent signs that hide them.
 */
export function parseTarget(target: string): Target | null {
  if (target === '') return null
  const local = target.startsWith('/') ? target : target.replace(absolute, '')
  const mark = local.indexOf('?')
  const path = (mark < 0 ? local : local.slice(0, mark)) || '/'
  // Clients send no fragment, but some parsers would end the query here.
  const search = mark < 0 ? '' : local.slice(mark + 1).replaceAll('#', '%23')
  return isNormal(path) ? { path, search } : null
}

/** The beginning of an absolute target, which proxies send. */
const absolute = /^https?:\/\/[^/?#\\]+/i

// Control characters, spaces, backslashes and non-ASCII characters must be encoded.
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
