/** Returns the path to which the CRM sends webhooks about changes in a source. */
export const hintPathOf = (sourceId: number) => `/hooks/sources/${sourceId}`

/** Returns the id of the source for a webhook path, or null for any other path. */
export function sourceOfHint(path: string): number | null {
  const id = Number(/^\/hooks\/sources\/([1-9]\d{0,9})$/.exec(path)?.[1] ?? NaN)
  return id < 2 ** 31 ? id : null
}
