import { sharedServices } from '#server/runtime/services.ts'

/** A command for a shell in which TOKEN is set, that asks this very installation; each of `options` is a line with more of curl's. */
export function curl(path: string, ...options: string[]): string {
  return [
    'curl -H "Authorization: Bearer $TOKEN"',
    ...options,
    `"${sharedServices().config.publicUrl}${path}"`,
  ].join(' \\\n  ')
}

/** The same, sending JSON. */
export function curlJson(path: string, body: string): string {
  return curl(path, "-H 'Content-Type: application/json'", `-d '${body}'`)
}
