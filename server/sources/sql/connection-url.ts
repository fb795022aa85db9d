/**
 * URL parameters that the driver handles or the server accepts. Other parameters are meant for other drivers.
 */
const understood = new Set(['sslmode', 'target_session_attrs', 'options', 'search_path'])

/** The driver's name for each `sslmode` of libpq. Some hosting providers use `no-verify`. */
const modes = new Map([
  ['no-verify', 'require'],
  ['verify-ca', 'verify-full'],
])

/**
 * Removes parameters meant for other drivers from a URL, such as `channel_binding`, `pgbouncer`, or
 * `connection_limit`. The server would reject these as unknown settings.
 */
export function forDriver(url: string): string {
  const at = url.indexOf('?')
  if (at < 0) return url
  const parameters = new URLSearchParams(url.slice(at + 1))
  const isByFlag = ['true', '1'].includes(parameters.get('ssl') ?? '')
  const isBySystem = parameters.get('sslrootcert') === 'system'
  const kept = [...parameters].filter(([name]) => understood.has(name))
  const written = kept.map(([name, value]) => {
    const known = name === 'sslmode' ? (modes.get(value) ?? value) : value
    return `${name}=${encodeURIComponent(known)}`
  })
  if (!parameters.has('sslmode') && (isBySystem || isByFlag))
    written.push(`sslmode=${isBySystem ? 'verify-full' : 'require'}`)
  return written.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${written.join('&')}`
}
