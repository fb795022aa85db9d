import type { CrmRecord, FileOfDeal } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'

/** Returns the file ids in a value, separated by semicolons or commas. */
export const fileIdsIn = (value: string | null | undefined): string[] =>
  (value ?? '')
    .split(/[;,]/)
    .map((id) => id.trim())
    .filter((id) => /^\d{1,19}$/.test(id))

/** Returns the files that records reference in their properties. */
export function namedFiles(
  records: readonly CrmRecord[],
  { files }: Pick<SourceSettings, 'files'>,
): FileOfDeal[] {
  if (files === null) return []
  return records.flatMap(({ id: dealId, values }) => {
    const ids = new Set(files.properties.flatMap((name) => fileIdsIn(values[name])))
    return [...ids].map((fileId) => ({ dealId, fileId }))
  })
}
