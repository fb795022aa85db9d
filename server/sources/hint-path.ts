/** Returns the path at which the CRM announces changes in a source. */
export const hintPathOf = (sourceId: number) => `/hooks/sources/${sourceId}`

/** Returns the source of such a path; null for any other. */
export function sourceOfHint(path: string): number | null {
  const id = Number(/^\/hooks\/sources\/([1-9]\d{0,9})$/.exec(path)?.[1] ?? NaN)
  return id < 2 ** 31 ? id : null
}
